/** Invites people: creates an account without a password, and a link with which its owner chooses one. */
import type { z } from 'zod';
import type { inviteAccountRequest } from '../../shared/api/admin/accounts.ts';
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { Account } from '../accounts/account.ts';
import { requireEmail } from '../accounts/email.ts';
import { formatInvitationLink, readInvitationToken } from '../accounts/invitation-link.ts';
import type { MailTokenService } from '../accounts/mail-token.service.ts';
import { type AuditContext, accountTarget, staffIdOf } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Transaction } from '../database/database.ts';
import { lockByName, lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { takeMailAllowance } from '../mail/mail-allowance.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';

type InvitationServiceDeps = AuditedDeps & {
  readonly accounts: AccountService;
  readonly subscriptions: SubscriptionService;
  readonly mailTokens: MailTokenService;
  readonly mailQueue: MailQueueService;
  /** Throws `ApiError` CONFLICT if the account is staff. */
  readonly requireNotStaff: (transaction: Transaction, userId: string) => Promise<void>;
  /** Throws `ApiError` FORBIDDEN for a member of staff who no longer has the role. */
  readonly requireRole: (transaction: Transaction, by: AuditContext, role: StaffRole) => Promise<void>;
};

type InvitationRequest = Readonly<z.input<typeof inviteAccountRequest>>;

type InvitedBy = AuditContext & {
  /** URL that the link begins with, including the base path, such as `https://licenses.example.com`. */
  readonly siteUrl: string;
};

type Invitation = { readonly account: Account; readonly link: string };

export class InvitationService {
  readonly #deps: InvitationServiceDeps;

  constructor(deps: InvitationServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Creates an invitation. Its link works once and for 7 days, becomes invalid once the inviter loses a role, and voids
   * any earlier link for choosing the first password of the account. Throws `ApiError` VALIDATION_ERROR, also if `send`
   * is set without a mail server; NOT_FOUND for an unknown plan; CONFLICT for an account that has a password or is
   * staff, or if `send` is set and its address has received enough invitations; FORBIDDEN if the inviter no longer has
   * the role support.
   */
  invite(request: InvitationRequest, { siteUrl, ...by }: InvitedBy): Promise<Invitation> {
    const { database, accounts, subscriptions, mailTokens, mailQueue, auditLog } = this.#deps;
    const { requireNotStaff, requireRole } = this.#deps;
    const { full_name, plan, send = false } = request;
    const { address } = requireEmail(request.email);
    if (send) mailQueue.requireAvailable();
    return database.write(async (transaction) => {
      // The account may be becoming staff at this moment, or the inviter may be losing the role.
      await lockByName(transaction, 'staff');
      await requireRole(transaction, by, 'support');
      const { id: userId } = await accounts.findOrAdd(transaction, address, by);
      // The inviter sees the link, and the password of staff may be set only by owners, who create a staff link.
      await requireNotStaff(transaction, userId);
      await lockUser(transaction, userId);
      await this.#requireWithoutPassword(transaction, userId);
      const createdBy = staffIdOf(by);
      // The inviter sees the link and could use it, and so may know the password.
      await accounts.recordInvitation(transaction, userId, { full_name: full_name?.trim(), setBy: createdBy });
      if (plan !== undefined) await subscriptions.setWithin(transaction, { userId, settings: { plan }, by });
      const details = { ...(plan !== undefined && { plan }), sent: send };
      await auditLog.record(transaction, { ...by, action: 'account.invite', target: accountTarget(userId), details });
      const account = await this.#requireWithoutPassword(transaction, userId);
      const { email } = account;
      const wanted = { userId, purpose: 'set_password', email } as const;
      const token = await mailTokens.replace(transaction, wanted, createdBy ?? null);
      if (send) await this.#mail(transaction, { email, token });
      return { account, link: formatInvitationLink(siteUrl, token) };
    });
  }

  /**
   * Mails a link that was shown earlier, and returns the address it was sent to. Throws `ApiError` VALIDATION_ERROR for
   * a malformed link or without a mail server; CONFLICT for a link that was used, is void or has expired, or if the
   * address has received enough invitations.
   */
  async send(link: string, by: AuditContext): Promise<string> {
    const { database, mailTokens, mailQueue, auditLog } = this.#deps;
    mailQueue.requireAvailable();
    const token = readInvitationToken(link);
    if (token === undefined) throw new ApiError('VALIDATION_ERROR', 'link must be the link of an invitation.');
    return database.write(async (transaction) => {
      const found = await mailTokens.find(token, ['set_password'], transaction);
      if (!found) {
        throw new ApiError(
          'CONFLICT',
          'This invitation was used, has expired, or a newer one took its place. Invite again.',
        );
      }
      const { userId, email } = found;
      await this.#mail(transaction, { email, token });
      const details = { sent_to: email };
      await auditLog.record(transaction, { ...by, action: 'account.invite', target: accountTarget(userId), details });
      return email;
    });
  }

  /** Queues the mail. It is counted now rather than when it is sent, so that the inviter learns that it is not sent. */
  async #mail(
    transaction: Transaction,
    { email, token }: { readonly email: string; readonly token: string },
  ): Promise<void> {
    const { mailQueue, clock } = this.#deps;
    const counted = { email, topic: 'invitation', isLink: true, isConfirmed: false };
    if (!(await takeMailAllowance(transaction, counted, clock.now()))) {
      throw new ApiError(
        'CONFLICT',
        'This address has received several invitations lately. Pass on the link yourself, or send it in 3 hours.',
      );
    }
    await mailQueue.add(transaction, { kind: 'invitation', email, token });
  }

  async #requireWithoutPassword(transaction: Transaction, userId: string): Promise<Account> {
    const account = await this.#deps.accounts.findById(userId, transaction);
    // The account was deleted in the meantime.
    if (!account) throw new ApiError('CONFLICT', 'This account has just been deleted. Invite again.');
    if (account.hasPassword) {
      throw new ApiError('CONFLICT', 'This account has a password already, so it needs no invitation.');
    }
    return account;
  }
}
