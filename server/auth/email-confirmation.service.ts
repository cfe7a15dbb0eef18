/** What follows when somebody proves to read the mail of an account. */
import type { AccountService } from '../accounts/account.service.ts';
import { type AuditContext, accountTarget } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.service.ts';
import type { Config } from '../config.ts';
import type { Transaction } from '../database/database.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';

export type EmailConfirmationDeps = {
  readonly config: Pick<Config, 'confirmEmail' | 'trial'>;
  readonly accounts: AccountService;
  readonly subscriptions: SubscriptionService;
  readonly auditLog: AuditLog;
};

export class EmailConfirmation {
  readonly #deps: EmailConfirmationDeps;

  constructor(deps: EmailConfirmationDeps) {
    this.#deps = deps;
  }

  /** The first time it starts the trial that has waited for it. */
  async record(transaction: Transaction, userId: string, by: AuditContext): Promise<void> {
    const { config, accounts, subscriptions, auditLog } = this.#deps;
    if (!(await accounts.confirmEmail(transaction, userId))) return;
    await auditLog.record(transaction, { ...by, action: 'account.email_confirm', target: accountTarget(userId) });
    if (!config.confirmEmail || !config.trial) return;
    if ((await subscriptions.findAccess(userId, transaction)) !== undefined) return;
    await subscriptions.startTrial(transaction, userId, config.trial);
  }
}
