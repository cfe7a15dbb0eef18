/**
 * Imports API keys of another system as legacy keys, in bulk; `ApiKeyAdminService.importLegacy` imports a single one.
 */
import type { AccountService } from '../accounts/account.service.ts';
import type { Account } from '../accounts/account.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { lockByName, lockUsers } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { type Fields, planRow, type RowImporter, type RowPlan, readExpiry } from '../import/row-importer.ts';
import { type ApiKeyRow, findCurrentHashes, findHashesOf, replaceApiKeys } from './api-key.repository.ts';
import { newApiKeyRow } from './api-key.service.ts';
import { type HashedKey, hashKey, parseHash } from './api-key-admin.service.ts';

type ApiKeyImportServiceDeps = CommonDeps & {
  readonly accounts: AccountService;
};

const unconfirmed =
  'Nobody has confirmed the address of this account, so somebody else may have signed up with it. Import the row again once it is confirmed: a mailed link for a new password confirms it, too.';

export class ApiKeyImportService implements RowImporter<ApiKeyRow> {
  readonly columns = ['email', 'key', 'sha256', 'expires_at'];
  readonly requiredColumns = ['email', 'expires_at'];
  readonly duplicateRefusal = 'Another row of the file has this key.';
  readonly #deps: ApiKeyImportServiceDeps;

  constructor(deps: ApiKeyImportServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Locks out other imports. Otherwise a key that another import inserts and that is then revoked could be inserted
   * again.
   */
  async lock(transaction: Transaction): Promise<void> {
    await lockByName(transaction, 'imported api keys');
  }

  async plan(executor: Executor, rows: readonly Fields[]): Promise<RowPlan<ApiKeyRow>[]> {
    const owners = await this.#deps.accounts.findByEmails(
      executor,
      rows.map(({ email = '' }) => email),
    );
    const plans = rows.map((fields) =>
      planRow(() => {
        const row = this.#toRow(fields, owners);
        return { key: row.key_hash, row };
      }),
    );
    const userIds = new Set([...owners.values()].map(({ id }) => id));
    const own = await findHashesOf(executor, [...userIds]);
    const hashes = plans.flatMap((plan) => ('key' in plan ? plan.key : []));
    const current = await findCurrentHashes(executor, hashes);
    return plans.map((plan) => {
      if ('refusal' in plan) return plan;
      if (own.has(plan.key)) return { refusal: 'This key was imported before.' };
      return current.has(plan.key) ? { refusal: 'This key belongs to another account.' } : plan;
    });
  }

  async insert(transaction: Transaction, rows: readonly ApiKeyRow[]): Promise<void> {
    const nowMs = this.#deps.clock.now();
    await lockUsers(
      transaction,
      rows.map(({ user_id }) => user_id),
    );
    // If a user has several keys, the last one counts.
    const last = new Map(rows.map((row) => [row.user_id, row]));
    const inserted = rows.map((row) => (last.get(row.user_id) === row ? row : { ...row, revoked_at_ms: nowMs }));
    await replaceApiKeys(transaction, inserted, nowMs);
  }

  #toRow(fields: Fields, owners: ReadonlyMap<string, Account>): ApiKeyRow {
    const { accounts, clock, random } = this.#deps;
    const { email = '', expires_at = '' } = fields;
    const owner = owners.get(email);
    if (owner === undefined) throw new ApiError('USER_NOT_FOUND');
    if (!accounts.mayReceiveByEmail(owner)) throw new ApiError('VALIDATION_ERROR', unconfirmed);
    const legacyExpiresAtMs = readExpiry(expires_at);
    return newApiKeyRow({ userId: owner.id, ...readKey(fields), nowMs: clock.now(), legacyExpiresAtMs }, random);
  }
}

function readKey({ key = '', sha256 = '' }: Fields): HashedKey {
  if ((key === '') === (sha256 === '')) {
    throw new ApiError('VALIDATION_ERROR', 'A row must have either key or sha256.');
  }
  return key === '' ? parseHash(sha256.replace(/^sha256:/i, '')) : hashKey(key);
}
