/** Writes a mail at the time it is sent: only then its link gets a token, of which the database has nothing but the hash. */
import type { AccountService } from '../accounts/account.service.ts';
import type { MailTokenService } from '../accounts/mail-token.service.ts';
import { accountTarget } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.service.ts';
import type { Database } from '../database/database.ts';
import { composeApiKeyReported } from './api-key-reported-message.ts';
import type { Mail, Message } from './mail.ts';
import {
  composeAccountDeleted,
  composeConfirmEmail,
  composeEmailChange,
  composeLicense,
  composePasswordChanged,
  composeResetPassword,
} from './messages.ts';

export type MailComposerDeps = {
  readonly database: Database;
  readonly auditLog: AuditLog;
  readonly accounts: AccountService;
  readonly mailTokens: MailTokenService;
};

export class MailComposer {
  readonly #deps: MailComposerDeps;

  constructor(deps: MailComposerDeps) {
    this.#deps = deps;
  }

  /** `undefined` if there is nothing to send: no such account, or it got enough of these mails lately. */
  async compose(mail: Mail, origin: string): Promise<Message | undefined> {
    switch (mail.kind) {
      case 'reset_password':
        return this.#composeReset(mail, origin);
      case 'password_changed':
        return { to: mail.email, ...composePasswordChanged(mail) };
      case 'confirm_email':
      case 'change_email':
        return this.#composeConfirmation(mail, origin);
      case 'email_change_requested':
      case 'email_changed':
        return { to: mail.email, ...composeEmailChange(mail) };
      case 'account_deleted':
        return { to: mail.email, ...composeAccountDeleted(mail) };
      case 'license':
        return { to: mail.email, ...composeLicense(mail) };
      case 'api_key_reported':
        return { to: mail.email, ...composeApiKeyReported(mail) };
    }
  }

  async #composeReset(
    { email, language, address }: Extract<Mail, { kind: 'reset_password' }>,
    origin: string,
  ): Promise<Message | undefined> {
    const { database, auditLog, accounts, mailTokens } = this.#deps;
    const account = await accounts.findByEmail(email);
    if (!account) return undefined;
    const { id: userId, email: to } = account;
    const token = await database.write(async (transaction) => {
      const created = await mailTokens.create(transaction, { userId, purpose: 'reset_password', email: to });
      if (created === undefined) return undefined;
      const action = 'account.password_reset_request';
      await auditLog.record(transaction, {
        actor: { kind: 'anonymous' },
        address,
        action,
        target: accountTarget(userId),
      });
      return created;
    });
    return token === undefined
      ? undefined
      : { to, ...composeResetPassword({ to, language, url: `${origin}/reset#token=${token}` }) };
  }

  async #composeConfirmation(mail: ConfirmationMail, origin: string): Promise<Message | undefined> {
    const { database, accounts, mailTokens } = this.#deps;
    const { kind: purpose, user_id: userId, email, language } = mail;
    const account = await accounts.findById(userId);
    if (!account || (mail.kind === 'confirm_email' && account.email !== email)) return undefined;
    if (mail.kind === 'change_email' && account.passwordChangedAtMs !== mail.password_changed_at_ms) return undefined;
    const token = await database.write((transaction) => mailTokens.create(transaction, { userId, purpose, email }));
    if (token === undefined) return undefined;
    return { to: email, ...composeConfirmEmail({ to: email, language, url: `${origin}/confirm#token=${token}` }) };
  }
}

type ConfirmationMail = Extract<Mail, { kind: 'confirm_email' | 'change_email' }>;
