/**
 * Composes a mail when it is sent: only then is a token created for its link, and the database stores only its hash.
 */
import type { AccountService } from '../accounts/account.service.ts';
import type { Account } from '../accounts/account.ts';
import { formatInvitationLink } from '../accounts/invitation-link.ts';
import type { MailToken, MailTokenService } from '../accounts/mail-token.service.ts';
import { accountTarget, byAnonymous } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import { composeApiKeyReported } from './api-key-reported-message.ts';
import { composeEmailChange } from './email-change-message.ts';
import { composeLicense } from './license-message.ts';
import { composeInEveryLanguage, type Mail, type MailOf, type Message } from './mail.ts';
import { takeMailAllowance } from './mail-allowance.ts';
import {
  composeAccountDeleted,
  composeConfirmEmail,
  composeInvitation,
  composeLicenseKeyReplaced,
  composeResetPassword,
} from './messages.ts';
import { composePasswordChanged } from './password-changed-message.ts';
import { composeReminder } from './reminder-message.ts';
import { composeStaffChanged } from './staff-changed-message.ts';

type MailComposerServiceDeps = AuditedDeps & {
  readonly accounts: AccountService;
  readonly mailTokens: MailTokenService;
  readonly isStaff: (userId: string) => Promise<boolean>;
  /** Returns true if the account has signed in from the network of this address. */
  readonly isKnownNetwork: (userId: string, address: string) => Promise<boolean>;
};

type ComposeOptions = {
  /** Base URL of the links, such as `https://licenses.example.com`, possibly with a path. */
  readonly siteUrl: string;
  /** True if an earlier attempt to send the mail failed; the mail has then already been counted. */
  readonly isRetry: boolean;
};

/** A mail, with the token of its link if it has one. */
type ComposedMessage = Message & { readonly token?: string };

/**
 * Why a mail is not sent: the account is gone or has changed since, its address has received enough of these mails, or
 * the link is void.
 */
type NotSent = 'no account' | 'enough mails' | 'void link';

export class MailComposerService {
  readonly #deps: MailComposerServiceDeps;

  constructor(deps: MailComposerServiceDeps) {
    this.#deps = deps;
  }

  /** Composes the mail, or returns why there is nothing to send. */
  async compose(mail: Mail, options: ComposeOptions): Promise<ComposedMessage | NotSent> {
    switch (mail.kind) {
      case 'reset_password':
        return this.#composeReset(mail, options);
      case 'confirm_email':
      case 'change_email':
        return this.#composeConfirmation(mail, options);
      case 'license':
        return { to: mail.email, ...composeLicense(mail, mail.language) };
      case 'purchase':
        return this.#composePurchase(mail, options);
      case 'invitation':
        return this.#composeInvitation(mail, options);
      default:
        return options.isRetry || !isCounted(mail) || (await this.#takeNotice(mail))
          ? { to: mail.email, ...composeNotice(mail) }
          : 'enough mails';
    }
  }

  /** Discards the token of a mail that could not be sent: the next attempt creates another one. */
  async discard({ token }: ComposedMessage): Promise<void> {
    const { database, mailTokens } = this.#deps;
    if (token !== undefined) await database.write((transaction) => mailTokens.use(transaction, token));
  }

  async #takeNotice(mail: Notice): Promise<boolean> {
    const { database, accounts, clock, isStaff } = this.#deps;
    const wasConfirmed = 'was_confirmed' in mail ? mail.was_confirmed : undefined;
    const account = await accounts.findByEmail(mail.email);
    // Mails caused by strangers must not use up the allowance for notices to staff.
    const isConfirmed =
      wasConfirmed ?? (isConfirmedAddress(account) || (account !== undefined && (await isStaff(account.id))));
    const topic = 'change' in mail ? mail.change.kind : mail.kind;
    const counted = { email: mail.email, topic, isLink: false, isConfirmed };
    return database.write((transaction) => takeMailAllowance(transaction, counted, clock.now()));
  }

  async #composeReset(
    { email, language, address }: MailOf<'reset_password'>,
    { siteUrl, isRetry }: ComposeOptions,
  ): Promise<ComposedMessage | NotSent> {
    const { database, auditLog, accounts, isKnownNetwork } = this.#deps;
    const account = await accounts.findByEmail(email);
    if (!account) return 'no account';
    const { id: userId, email: to } = account;
    const isConfirmed = isConfirmedAddress(account);
    // Requests of the owner are not counted, so that strangers cannot use up the owner's allowance. Somebody who signed
    // up with another person's address is not its owner.
    const isOwner = isConfirmed && (await isKnownNetwork(userId, address));
    return database.write(async (transaction) => {
      const wanted = { userId, purpose: 'reset_password', email: to } as const;
      const token = await this.#createToken(transaction, wanted, { isConfirmed, isCounted: !isRetry && !isOwner });
      if (token === undefined) return 'enough mails';
      if (!isRetry) {
        await auditLog.record(transaction, {
          ...byAnonymous(address),
          action: 'account.password_reset_request',
          target: accountTarget(userId),
        });
      }
      return { to, token, ...composeResetPassword({ to, language, url: `${siteUrl}/reset#token=${token}` }) };
    });
  }

  async #composeConfirmation(
    mail: ConfirmationMail,
    { siteUrl, isRetry }: ComposeOptions,
  ): Promise<ComposedMessage | NotSent> {
    const { database, accounts } = this.#deps;
    const { kind: purpose, user_id: userId, email, language } = mail;
    return database.write(async (transaction) => {
      // Locked first: the account may be changing, or becoming staff, at this moment.
      await lockUser(transaction, userId);
      const account = await accounts.findById(userId, transaction);
      if (!account || (mail.kind === 'confirm_email' && account.email !== email)) return 'no account';
      if (mail.kind === 'change_email' && account.passwordChangedAtMs !== mail.password_changed_at_ms)
        return 'no account';
      const counted = { isConfirmed: false, isCounted: !isRetry };
      const token = await this.#createToken(transaction, { userId, purpose, email }, counted);
      if (token === undefined) return 'enough mails';
      const url = `${siteUrl}/confirm#token=${token}`;
      return { to: email, token, ...composeConfirmEmail({ to: email, language, url }) };
    });
  }

  /** Composes the mail for the current address of the account. */
  async #composePurchase(mail: PurchaseMail, { siteUrl }: ComposeOptions): Promise<ComposedMessage | NotSent> {
    const { database, accounts } = this.#deps;
    const account = await accounts.findById(mail.user_id);
    if (!account) return 'no account';
    const { id: userId, email, hasPassword } = account;
    const wanted = { userId, purpose: 'set_password', email } as const;
    const uncounted = { isConfirmed: true, isCounted: false };
    const token = hasPassword
      ? undefined
      : await database.write((transaction) => this.#createToken(transaction, wanted, uncounted));
    const url = token && `${siteUrl}/reset#token=${token}`;
    const buyer = { email, hasPassword, url };
    const message = composeInEveryLanguage((language) => composeLicense(mail, language, buyer));
    return { to: email, ...message, ...(token !== undefined && { token }) };
  }

  /** Composes the mail without a token to discard if the mail fails, because the link was also shown to the inviter. */
  async #composeInvitation({ email, token }: InvitationMail, { siteUrl }: ComposeOptions): Promise<Message | NotSent> {
    const found = await this.#deps.mailTokens.find(token, ['set_password']);
    if (found?.email !== email) return 'void link';
    const invited = { email, url: formatInvitationLink(siteUrl, token) };
    return { to: email, ...composeInEveryLanguage((language) => composeInvitation(invited, language)) };
  }

  /**
   * Creates a token; returns `undefined` if the account has enough of them, or its address has received enough links.
   */
  async #createToken(
    transaction: Transaction,
    wanted: MailToken,
    { isConfirmed, isCounted }: { readonly isConfirmed: boolean; readonly isCounted: boolean },
  ): Promise<string | undefined> {
    const { mailTokens, clock } = this.#deps;
    const token = await mailTokens.create(transaction, wanted);
    if (token === undefined || !isCounted) return token;
    const counted = { email: wanted.email, topic: wanted.purpose, isLink: true, isConfirmed };
    if (await takeMailAllowance(transaction, counted, clock.now())) return token;
    await mailTokens.use(transaction, token);
    return undefined;
  }
}

function isConfirmedAddress(account: Account | undefined): boolean {
  return account?.emailConfirmedAtMs !== undefined;
}

/** License reminders are not counted: strangers cannot give an account a license, so they cannot cause them. */
function isCounted(mail: Notice): boolean {
  return !(mail.kind === 'reminder' && mail.ending.kind === 'license');
}

type ConfirmationMail = MailOf<'confirm_email' | 'change_email'>;
type PurchaseMail = MailOf<'purchase'>;
type InvitationMail = MailOf<'invitation'>;
type Notice = Exclude<Mail, { kind: 'reset_password' | 'license' | 'purchase' | 'invitation' } | ConfirmationMail>;

function composeNotice(mail: Notice): Omit<Message, 'to'> {
  switch (mail.kind) {
    case 'password_changed':
      return composePasswordChanged(mail);
    case 'email_change_requested':
    case 'email_changed':
      return composeEmailChange(mail);
    case 'license_key_replaced':
      return composeLicenseKeyReplaced(mail);
    case 'account_deleted':
      return composeAccountDeleted(mail);
    case 'reminder':
      return composeInEveryLanguage((language) => composeReminder(mail, language));
    case 'api_key_reported':
      return composeInEveryLanguage((language) => composeApiKeyReported(mail, language));
    case 'staff_changed':
      return composeInEveryLanguage((language) => composeStaffChanged(mail, language));
  }
}
