/** Changes the email address of an account and confirms it with a mailed link. */
import type { EmailStatusResponse } from '../../shared/api/auth.ts';
import type { AccountService } from '../accounts/account.service.ts';
import { invalidLink, type MailToken, type MailTokenService } from '../accounts/mail-token.service.ts';
import type { PasswordService } from '../accounts/password.service.ts';
import { type AuditContext, accountTarget, byUser } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Transaction } from '../database/database.ts';
import { isConstraintViolation } from '../database/database-errors.ts';
import { lockByName, lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { findNameableEmail } from '../mail/email-change-message.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import type { EmailConfirmationService } from './email-confirmation.service.ts';
import type { Reauthentication } from './reauthentication.ts';
import type { Client, SignedInUser } from './signed-in-user.ts';

type EmailChangeServiceDeps = AuditedDeps & {
  readonly accounts: AccountService;
  readonly passwords: PasswordService;
  readonly reauthentication: Reauthentication;
  readonly mailTokens: MailTokenService;
  readonly mailQueue: MailQueueService;
  readonly emailConfirmation: EmailConfirmationService;
  /** Unassigns unused licenses that the account was given for an address that it never confirmed. */
  readonly unassignUnusedLicenses: (transaction: Transaction, userId: string, by: AuditContext) => Promise<void>;
};

/** Each method throws `ApiError` NOT_FOUND without a mail server, and the codes named in its comment. */
export class EmailChangeService {
  readonly #deps: EmailChangeServiceDeps;

  constructor(deps: EmailChangeServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Mails a confirmation link to the new address and a notice to the old one. INVALID_CREDENTIALS, RATE_LIMITED,
   * EMAIL_EXISTS, VALIDATION_ERROR, SERVICE_UNAVAILABLE.
   */
  async request(
    { id: userId }: SignedInUser,
    { email: text, password }: { readonly email: string; readonly password: string },
    { address, language }: Client,
  ): Promise<void> {
    const { database, auditLog, accounts, passwords, reauthentication, mailQueue } = this.#deps;
    mailQueue.requireOn();
    await mailQueue.requireRoom('change_email');
    const login = await reauthentication.verify({ userId, password, address });
    const email = await accounts.requireFreeEmail(text);
    const { user, passwordChangedAtMs: password_changed_at_ms } = login;
    await database.write(async (transaction) => {
      await passwords.confirmLogin(transaction, login);
      await mailQueue.add(transaction, {
        kind: 'change_email',
        email,
        language,
        user_id: userId,
        password_changed_at_ms,
      });
      const { emailConfirmedAtMs } = await accounts.get(userId, transaction);
      await mailQueue.add(transaction, {
        kind: 'email_change_requested',
        email: user.email,
        language,
        new_email: findNameableEmail(email, { isConfirmed: emailConfirmedAtMs !== undefined }),
      });
      const action = 'account.email_change_request';
      await auditLog.record(transaction, { ...byUser(userId, address), action, target: accountTarget(userId) });
    });
  }

  async readStatus({ id: userId }: SignedInUser): Promise<EmailStatusResponse> {
    const { config, accounts, mailQueue } = this.#deps;
    mailQueue.requireOn();
    const { email, emailConfirmedAtMs } = await accounts.getSignedIn(userId);
    return { email, confirmation_needed: config.confirmEmail && emailConfirmedAtMs === undefined };
  }

  /** Mails the confirmation link of a new account again, unless its address is confirmed. SERVICE_UNAVAILABLE. */
  async sendConfirmation({ id: userId }: SignedInUser, { language }: Client): Promise<void> {
    const { database, accounts, mailQueue } = this.#deps;
    mailQueue.requireOn();
    const { email, emailConfirmedAtMs } = await accounts.getSignedIn(userId);
    if (emailConfirmedAtMs !== undefined) return;
    await mailQueue.requireRoom('confirm_email');
    await database.write((transaction) =>
      mailQueue.add(transaction, { kind: 'confirm_email', email, language, user_id: userId }),
    );
  }

  /** Redeems the token of either kind of link and returns the address it confirms. INVALID_TOKEN, EMAIL_EXISTS. */
  async confirm(token: string, client: Client): Promise<string> {
    const { database, mailTokens, mailQueue } = this.#deps;
    mailQueue.requireOn();
    const found = await mailTokens.find(token, ['confirm_email', 'change_email']);
    if (!found) throw invalidLink();
    try {
      await database.write(async (transaction) => {
        // Locked before the account, in the same order as for billing events, because the confirmation also applies
        // waiting events.
        await lockByName(transaction, 'billing');
        await lockUser(transaction, found.userId);
        if (!(await mailTokens.use(transaction, token))) throw invalidLink();
        await this.#apply(transaction, found, client);
      });
    } catch (error) {
      // Another account took the address in the meantime.
      throw isConstraintViolation(error) ? new ApiError('EMAIL_EXISTS') : error;
    }
    return found.email;
  }

  async #apply(transaction: Transaction, { userId, purpose, email }: MailToken, client: Client): Promise<void> {
    const { accounts, mailQueue, emailConfirmation, unassignUnusedLicenses } = this.#deps;
    const by = byUser(userId, client.address);
    if (purpose === 'change_email') {
      const { emailConfirmedAtMs } = await accounts.get(userId, transaction);
      const wasConfirmed = emailConfirmedAtMs !== undefined;
      const oldEmail = await accounts.changeEmail(transaction, { id: userId, email }, by);
      await mailQueue.add(transaction, {
        kind: 'email_changed',
        email: oldEmail,
        language: client.language,
        new_email: findNameableEmail(email, { isConfirmed: wasConfirmed }),
        was_confirmed: wasConfirmed,
      });
      if (!wasConfirmed) await unassignUnusedLicenses(transaction, userId, by);
    }
    await emailConfirmation.record(transaction, userId, by);
  }
}
