/** Says what a presented API key is worth: the path that other servers call for each of their own requests. */

import type { ValidateApiKeyResponse } from '../../shared/api/api-key.ts';
import { errorTable } from '../../shared/api/errors.ts';
import { isWellFormedApiKey } from '../../shared/formats/api-key.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { freePlan } from '../plans/plan.service.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';
import { hasLegacyKeys, type KeyCheckRow, prepareKeyCheck } from './api-key.repository.ts';
import { evaluateApiKey } from './api-key.rules.ts';
import { hashApiKey } from './api-key-hash.ts';
import { LegacyKeyCache } from './legacy-key-cache.ts';

export type ApiKeyValidation = {
  /** The answer of `/metrics/api-key/validate` (interface §4). */
  validate(apiKey: string): Promise<ValidateApiKeyResponse>;
  /** A legacy key was imported by this process. */
  noteImport(): void;
};

type Parts = { database: Database; clock: Clock };

export function createApiKeyValidation({ database, clock }: Parts): ApiKeyValidation {
  const check = prepareKeyCheck(database.read);
  const legacy = new LegacyKeyCache(clock, () => hasLegacyKeys(database.read));
  return {
    noteImport: () => legacy.noteImport(),
    async validate(apiKey) {
      const mayExist = isWellFormedApiKey(apiKey) || (apiKey !== '' && (await legacy.isThereAny()));
      const row = mayExist ? await check(hashApiKey(apiKey)) : undefined;
      return row ? judge(row, clock.now()) : refuse('INVALID_API_KEY');
    },
  };
}

function judge(row: KeyCheckRow, nowMs: number): ValidateApiKeyResponse {
  const hasAccess = subscriptionGivesAccess(row, nowMs);
  const subscription =
    row.plan === null ? undefined : { givesAccess: hasAccess, planHasApiAccess: row.api_access === 1 };
  const verdict = evaluateApiKey(row, { subscription }, nowMs);
  switch (verdict) {
    case 'valid':
      return {
        valid: true,
        plan: row.plan ?? freePlan,
        source: row.is_legacy === 1 ? 'legacy' : 'new',
        features: { api_access: true, csv_export: (hasAccess ? row.csv_export : row.free_csv_export) === 1 },
        subscription_active: hasAccess,
      };
    case 'SUBSCRIPTION_EXPIRED':
      return { valid: false, code: verdict, expires_at: toIso(row.legacy_expires_at_ms ?? nowMs) };
    case 'SUBSCRIPTION_INACTIVE':
    case 'API_ACCESS_DISABLED':
      return refuse(verdict);
  }
}

function subscriptionGivesAccess({ status, current_period_end_ms }: KeyCheckRow, nowMs: number): boolean {
  return status !== null && current_period_end_ms !== null && givesAccess({ status, current_period_end_ms }, nowMs);
}

function refuse(code: 'INVALID_API_KEY' | 'SUBSCRIPTION_INACTIVE' | 'API_ACCESS_DISABLED'): ValidateApiKeyResponse {
  return { valid: false, error: errorTable[code].message, code };
}
