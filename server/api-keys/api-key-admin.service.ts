/** Manages API keys for admins: imports keys of an older system, shows and revokes the key of a user. */
import type { ApiKeyRecord } from '../../shared/api/admin/accounts.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso, toIsoOrNull, validateDate } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { rejectMissingAccount } from '../database/database-errors.ts';
import { lockByName, lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import * as repository from './api-key.repository.ts';
import { apiKeyTarget, newApiKeyRow } from './api-key.service.ts';
import { hashApiKey, previewLegacyKey, unknownPreview } from './api-key-hash.ts';

/** The key itself or its SHA-256 in hex, and the time until which it is valid regardless of the subscription. */
type LegacyKey = ({ readonly key: string } | { readonly sha256: string }) & { readonly expiresAtMs: number };

const maxKeyLength = 1000;

export class ApiKeyAdminService {
  readonly #deps: AuditedDeps;

  constructor(deps: AuditedDeps) {
    this.#deps = deps;
  }

  /** Returns the current key of the user, if there is one. */
  async get(userId: string): Promise<ApiKeyRecord | undefined> {
    const row = await repository.findCurrentApiKey(this.#deps.database.read, userId);
    return row && toApiKeyRecord(row);
  }

  /**
   * Imports a legacy key, which replaces the current key of the user. Throws `ApiError` VALIDATION_ERROR, NOT_FOUND if
   * the account was deleted in the meantime.
   */
  async importLegacy(userId: string, legacy: LegacyKey, by: AuditContext): Promise<ApiKeyRecord> {
    const { database, clock, random, auditLog } = this.#deps;
    const nowMs = clock.now();
    const hashed = 'key' in legacy ? hashKey(legacy.key) : parseHash(legacy.sha256);
    const legacyExpiresAtMs = validateDate(legacy.expiresAtMs);
    const row = newApiKeyRow({ userId, ...hashed, nowMs, legacyExpiresAtMs }, random);
    const importing = database.write(async (transaction) => {
      await lockByName(transaction, 'imported api keys');
      await lockUser(transaction, userId);
      await repository.revokeCurrentApiKeys(transaction, [userId], nowMs);
      if (await repository.findCurrentApiKeyByHash(transaction, row.key_hash)) {
        throw new ApiError('VALIDATION_ERROR', 'This key belongs to another account.');
      }
      await repository.insertApiKey(transaction, row);
      const details = { key_prefix: row.key_prefix, expires_at: toIso(legacyExpiresAtMs) };
      await auditLog.record(transaction, { ...by, action: 'api_key.import', target: apiKeyTarget(row), details });
    });
    await importing.catch(rejectMissingAccount);
    return toApiKeyRecord(row);
  }

  /**
   * Revokes the current key of the user. Throws `ApiError` CONFLICT if `expectedId` is passed and is not the id of that
   * key, otherwise NOT_FOUND if there is no key.
   */
  async revoke(userId: string, by: AuditContext, expectedId?: string): Promise<ApiKeyRecord> {
    return this.#deps.database.write(async (transaction) => {
      const revoked = await this.revokeWithin(transaction, userId, { by, expectedId });
      if (!revoked) throw new ApiError('NOT_FOUND', 'This account has no API key.');
      return revoked;
    });
  }

  /** Like `revoke`, within a write; returns `undefined` for a user without a key. */
  async revokeWithin(
    transaction: Transaction,
    userId: string,
    { by, expectedId }: { readonly by: AuditContext; readonly expectedId?: string | undefined },
  ): Promise<ApiKeyRecord | undefined> {
    const { clock, auditLog } = this.#deps;
    await lockUser(transaction, userId);
    const row = await repository.findCurrentApiKey(transaction, userId);
    if (expectedId !== undefined && row?.id !== expectedId) {
      throw new ApiError('CONFLICT', 'This key was revoked or replaced already.');
    }
    if (!row) return undefined;
    const revokedAtMs = clock.now();
    await repository.revokeCurrentApiKeys(transaction, [userId], revokedAtMs);
    const details = { key_prefix: row.key_prefix };
    await auditLog.record(transaction, { ...by, action: 'api_key.revoke', target: apiKeyTarget(row), details });
    return toApiKeyRecord({ ...row, revoked_at_ms: revokedAtMs });
  }
}

export type HashedKey = { readonly keyHash: string; readonly prefix: string };

/** Hashes a legacy key. Throws `ApiError` VALIDATION_ERROR. */
export function hashKey(key: string): HashedKey {
  // The preview is stored, and PostgreSQL cannot store NUL.
  if (key.length === 0 || key.length > maxKeyLength || /[\s\p{Cc}]/u.test(key)) {
    throw new ApiError(
      'VALIDATION_ERROR',
      `A legacy key must have 1 to ${maxKeyLength} characters and no spaces or control characters.`,
    );
  }
  return { keyHash: hashApiKey(key), prefix: previewLegacyKey(key) };
}

/** Parses the SHA-256 of a legacy key. Throws `ApiError` VALIDATION_ERROR. */
export function parseHash(sha256: string): HashedKey {
  const keyHash = sha256.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(keyHash)) {
    throw new ApiError('VALIDATION_ERROR', 'The SHA-256 of a key must be 64 hex characters.');
  }
  return { keyHash, prefix: unknownPreview };
}

/** Converts a row to the API representation, which never contains the key itself. */
export function toApiKeyRecord(row: repository.ApiKeyRow): ApiKeyRecord {
  return {
    id: row.id,
    user_id: row.user_id,
    api_key_prefix: row.key_prefix,
    is_legacy: row.is_legacy === 1,
    created_at: toIso(row.created_at_ms),
    expires_at: toIsoOrNull(row.legacy_expires_at_ms),
    revoked_at: toIsoOrNull(row.revoked_at_ms),
  };
}
