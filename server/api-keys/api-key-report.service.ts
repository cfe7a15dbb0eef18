/** Reports of API keys that have leaked: whoever found a key has it revoked at once. */
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.service.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import { findCurrentApiKeyByHash, revokeReportedApiKey } from './api-key.repository.ts';
import { apiKeyTarget } from './api-key.service.ts';
import { hashApiKey } from './api-key-hash.ts';

export type ApiKeyReportServiceDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly auditLog: AuditLog;
};

export type KeyReport = {
  readonly apiKey: string;
  /** Who reports, such as `github`; left out for anyone. */
  readonly source?: string;
  /** Where it was found, without anything secret. */
  readonly place?: string;
};

export class ApiKeyReportService {
  readonly #deps: ApiKeyReportServiceDeps;

  constructor(deps: ApiKeyReportServiceDeps) {
    this.#deps = deps;
  }

  /** Revokes the key if it is one that an account has now. Returns whether it was. */
  async report({ apiKey, source, place }: KeyReport, by: AuditContext): Promise<boolean> {
    const { database, clock, auditLog } = this.#deps;
    const keyHash = hashApiKey(apiKey);
    if (!(await findCurrentApiKeyByHash(database.read, keyHash))) return false;
    return database.write(async (transaction) => {
      const found = await findCurrentApiKeyByHash(transaction, keyHash);
      if (!found) return false;
      await lockUser(transaction, found.user_id);
      // It may have been replaced before the account was locked.
      const row = await findCurrentApiKeyByHash(transaction, keyHash);
      if (!row) return false;
      await revokeReportedApiKey(transaction, row, clock.now());
      const details = { key_prefix: row.key_prefix, ...(source && { source }), ...(place && { place }) };
      await auditLog.record(transaction, { ...by, action: 'api_key.report', target: apiKeyTarget(row), details });
      return true;
    });
  }
}
