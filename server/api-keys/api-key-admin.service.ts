/** What staff do with API keys: bring over those of an older system, and revoke one. */

import { toIso, validateDate } from '../clock.ts';
import { ApiError } from '../errors.ts';
import {
  type ApiKeyRow,
  findCurrentApiKey,
  insertApiKey,
  isCurrentKeyHash,
  revokeCurrentApiKey,
} from './api-key.repository.ts';
import { type ApiKeyParts, newApiKeyRow } from './api-key.service.ts';
import { hashApiKey, previewLegacyKey, unknownPreview } from './api-key-hash.ts';
import type { ApiKeyValidation } from './api-key-validation.service.ts';

/** An API key as an admin sees it: never the key itself. */
export type ApiKeyRecord = {
  readonly id: string;
  readonly user_id: string;
  readonly api_key_prefix: string;
  readonly is_legacy: boolean;
  readonly created_at: string;
  /** Of a legacy key: until when it validates whatever the subscription. */
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
};

/** The key as it is, or its SHA-256 in hex. */
export type LegacyKey = { readonly key: string } | { readonly sha256: string };

export type ApiKeyAdminService = {
  /** The current key of the account, if it has one. */
  get(userId: string): Promise<ApiKeyRecord | undefined>;
  /** Makes it the key of the account, in place of what it had. Throws `ApiError` VALIDATION_ERROR. */
  importLegacy(userId: string, legacy: LegacyKey, expiresAtMs: number): Promise<ApiKeyRecord>;
  /** Throws `ApiError` NOT_FOUND for an account without a key. */
  revoke(userId: string): Promise<ApiKeyRecord>;
};

const longestKey = 1000;

export function createApiKeyAdminService(
  parts: ApiKeyParts & { apiKeyValidation: ApiKeyValidation },
): ApiKeyAdminService {
  const { database, clock, apiKeyValidation } = parts;
  return {
    async get(userId) {
      const row = await findCurrentApiKey(database.read, userId);
      return row && toRecord(row);
    },
    async importLegacy(userId, legacy, expiresAtMs) {
      const kept = 'key' in legacy ? readKey(legacy.key) : readHash(legacy.sha256);
      const legacyExpiresAtMs = validateDate(expiresAtMs);
      const row = newApiKeyRow(parts, { userId, ...kept, legacyExpiresAtMs });
      await database.write(async (transaction) => {
        await revokeCurrentApiKey(transaction, userId, clock.now());
        if (await isCurrentKeyHash(transaction, row.key_hash)) {
          throw new ApiError('VALIDATION_ERROR', 'This key belongs to another account.');
        }
        await insertApiKey(transaction, row);
      });
      apiKeyValidation.noteImport();
      return toRecord(row);
    },
    revoke: (userId) =>
      database.write(async (transaction) => {
        const row = await findCurrentApiKey(transaction, userId);
        if (!row) throw new ApiError('NOT_FOUND', 'This account has no API key.');
        await revokeCurrentApiKey(transaction, userId, clock.now());
        return toRecord({ ...row, revoked_at_ms: clock.now() });
      }),
  };
}

type KeptKey = { readonly keyHash: string; readonly prefix: string };

function readKey(key: string): KeptKey {
  if (key.length === 0 || key.length > longestKey || /\s/.test(key)) {
    throw new ApiError('VALIDATION_ERROR', `A legacy key has 1 to ${longestKey} characters and no spaces.`);
  }
  return { keyHash: hashApiKey(key), prefix: previewLegacyKey(key) };
}

function readHash(sha256: string): KeptKey {
  const keyHash = sha256.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(keyHash)) {
    throw new ApiError('VALIDATION_ERROR', 'The SHA-256 of a key is 64 hex characters.');
  }
  return { keyHash, prefix: unknownPreview };
}

function toRecord(row: ApiKeyRow): ApiKeyRecord {
  return {
    id: row.id,
    user_id: row.user_id,
    api_key_prefix: row.key_prefix,
    is_legacy: row.is_legacy === 1,
    created_at: toIso(row.created_at_ms),
    expires_at: row.legacy_expires_at_ms === null ? null : toIso(row.legacy_expires_at_ms),
    revoked_at: row.revoked_at_ms === null ? null : toIso(row.revoked_at_ms),
  };
}
