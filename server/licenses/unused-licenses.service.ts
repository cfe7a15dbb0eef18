/**
 * Unassigns licenses that an account was given for an address that it never confirmed, and has not used. When the
 * account changes that address, these licenses lose their owner, so that the keys mailed there stay usable for the
 * person who reads that mail.
 */
import { type AuditContext, licenseTarget } from '../audit/audit-event.ts';
import type { AuditLogService } from '../audit/audit-log.service.ts';
import type { Clock } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { changeLicense, listUnusedLicenses, lockLicensesOf } from './license.repository.ts';

export type UnusedLicensesServiceDeps = { readonly clock: Clock; readonly auditLog: AuditLogService };

export class UnusedLicensesService {
  readonly #deps: UnusedLicensesServiceDeps;

  constructor(deps: UnusedLicensesServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Unassigns the unused licenses, within a write that has locked the account. Licenses that were bought, or depend on
   * the account's subscription, keep their owner.
   */
  async unassign(transaction: Transaction, userId: string, by: AuditContext): Promise<void> {
    const { clock, auditLog } = this.#deps;
    await lockLicensesOf(transaction, userId);
    for (const { id, key_preview } of await listUnusedLicenses(transaction, userId)) {
      await changeLicense(transaction, id, { user_id: null, updated_at_ms: clock.now() });
      const target = licenseTarget({ id, key_preview });
      const details = { account_id: null, account_id_before: userId };
      await auditLog.record(transaction, { ...by, action: 'license.change', target, details });
    }
  }
}
