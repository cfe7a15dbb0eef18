/** Confirms the email address of an account, and does what had to wait for that. */
import type { AccountService } from '../accounts/account.service.ts';
import { type AuditContext, accountTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Transaction } from '../database/database.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';

type EmailConfirmationServiceDeps = AuditedDeps & {
  readonly accounts: AccountService;
  readonly subscriptions: SubscriptionService;
  /** Called when this email is confirmed, to do what had to wait for it. */
  readonly onConfirmed: (transaction: Transaction, email: string) => Promise<void>;
};

export class EmailConfirmationService {
  readonly #deps: EmailConfirmationServiceDeps;

  constructor(deps: EmailConfirmationServiceDeps) {
    this.#deps = deps;
  }

  /** Confirms the address of the account. The first time, this starts the waiting trial and returns true. */
  async record(transaction: Transaction, userId: string, by: AuditContext): Promise<boolean> {
    const { config, accounts, subscriptions, auditLog, onConfirmed } = this.#deps;
    const isFirst = await accounts.confirmEmail(transaction, userId);
    if (isFirst) {
      await auditLog.record(transaction, { ...by, action: 'account.email_confirm', target: accountTarget(userId) });
    }
    const { email } = await accounts.get(userId, transaction);
    await onConfirmed(transaction, email);
    if (!isFirst || !config.confirmEmail || !config.trial) return isFirst;
    if ((await subscriptions.findAccess(userId, transaction)) !== undefined) return isFirst;
    await subscriptions.startTrial(transaction, userId, config.trial);
    return isFirst;
  }
}
