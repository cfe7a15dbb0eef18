/** Handles reports of leaked API keys: revokes a reported key at once and mails its owner. */
import type { AccountService } from '../accounts/account.service.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import { type ApiKeyRow, findCurrentApiKeyByHash, revokeReportedApiKey } from './api-key.repository.ts';
import { apiKeyTarget } from './api-key.service.ts';
import { hashApiKey } from './api-key-hash.ts';

type ApiKeyReportServiceDeps = AuditedDeps & {
  readonly accounts: AccountService;
  readonly mailQueue: MailQueueService;
};

type KeyReport = {
  readonly apiKey: string;
  /** Reporter, such as `github`; absent if anonymous. */
  readonly source?: string;
  /** The place where it was found, without anything secret. */
  readonly place?: string;
};

export class ApiKeyReportService {
  readonly #deps: ApiKeyReportServiceDeps;

  constructor(deps: ApiKeyReportServiceDeps) {
    this.#deps = deps;
  }

  /** Revokes the key if it is the current key of an account. Returns true if it was. */
  async report({ apiKey, source, place }: KeyReport, by: AuditContext): Promise<boolean> {
    const { database, clock, auditLog } = this.#deps;
    const keyHash = hashApiKey(apiKey);
    if (!(await findCurrentApiKeyByHash(database.read, keyHash))) return false;
    return database.write(async (transaction) => {
      const found = await findCurrentApiKeyByHash(transaction, keyHash);
      if (!found) return false;
      await lockUser(transaction, found.user_id);
      // The key may have been replaced before the account was locked.
      const row = await findCurrentApiKeyByHash(transaction, keyHash);
      if (!row) return false;
      const nowMs = clock.now();
      await revokeReportedApiKey(transaction, row, nowMs);
      const details = { key_prefix: row.key_prefix, ...(source && { source }), ...(place && { place }) };
      await auditLog.record(transaction, { ...by, action: 'api_key.report', target: apiKeyTarget(row), details });
      await this.#mailOwner(transaction, row, { nowMs, place });
      return true;
    });
  }

  async #mailOwner(
    transaction: Transaction,
    { user_id: userId, key_prefix }: ApiKeyRow,
    { nowMs, place }: { readonly nowMs: number; readonly place: string | undefined },
  ): Promise<void> {
    const { accounts, mailQueue } = this.#deps;
    const owner = await accounts.findById(userId, transaction);
    if (!owner) return;
    await mailQueue.add(transaction, {
      kind: 'api_key_reported',
      email: owner.email,
      key_prefix,
      revoked_at: toIso(nowMs),
      ...(place && { place }),
    });
  }
}
