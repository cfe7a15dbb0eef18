/** Validates presented API keys. Other servers call this for each of their own requests, so it is the busiest path. */
import type { ValidateApiKeyResponse } from '../../shared/api/api-key.ts';
import { errorTable } from '../../shared/api/errors.ts';
import { isWellFormedApiKey } from '../../shared/formats/api-key.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { freePlan } from '../plans/plan.service.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';
import { hasLegacyKeys, type KeyValidationRow, prepareKeyValidation } from './api-key.repository.ts';
import { evaluateApiKey } from './api-key.rules.ts';
import { hashApiKey } from './api-key-hash.ts';
import { LegacyKeyCache } from './legacy-key-cache.ts';

export type ApiKeyValidationServiceDeps = { readonly database: Database; readonly clock: Clock };

export class ApiKeyValidationService {
  readonly #clock: Clock;
  readonly #findKey: (keyHash: string) => Promise<KeyValidationRow | undefined>;
  readonly #legacyKeys: LegacyKeyCache;

  constructor({ database, clock }: ApiKeyValidationServiceDeps) {
    this.#clock = clock;
    this.#findKey = prepareKeyValidation(database.read);
    this.#legacyKeys = new LegacyKeyCache({ clock, hasLegacyKeys: () => hasLegacyKeys(database.read) });
  }

  /** The response of `/metrics/api-key/validate`. */
  async validate(apiKey: string): Promise<ValidateApiKeyResponse> {
    const mayExist = isWellFormedApiKey(apiKey) || (apiKey !== '' && (await this.#legacyKeys.hasAny()));
    const row = mayExist ? await this.#findKey(hashApiKey(apiKey)) : undefined;
    return row ? toResponse(row, this.#clock.now()) : invalid('INVALID_API_KEY');
  }

  /** This process imported a legacy key. */
  noteImport(): void {
    this.#legacyKeys.noteImport();
  }
}

function toResponse(row: KeyValidationRow, nowMs: number): ValidateApiKeyResponse {
  const hasAccess = hasSubscriptionAccess(row, nowMs);
  const subscription =
    row.plan === null ? undefined : { givesAccess: hasAccess, planHasApiAccess: row.api_access === 1 };
  const evaluation = evaluateApiKey(row, { subscription }, nowMs);
  switch (evaluation) {
    case 'valid':
      return {
        valid: true,
        plan: row.plan ?? freePlan,
        source: row.is_legacy === 1 ? 'legacy' : 'new',
        features: { api_access: true, csv_export: (hasAccess ? row.csv_export : row.free_csv_export) === 1 },
        subscription_active: hasAccess,
      };
    case 'SUBSCRIPTION_EXPIRED':
      return { valid: false, code: evaluation, expires_at: toIso(row.legacy_expires_at_ms ?? nowMs) };
    case 'SUBSCRIPTION_INACTIVE':
    case 'API_ACCESS_DISABLED':
      return invalid(evaluation);
  }
}

function hasSubscriptionAccess({ status, current_period_end_ms }: KeyValidationRow, nowMs: number): boolean {
  return status !== null && current_period_end_ms !== null && givesAccess({ status, current_period_end_ms }, nowMs);
}

function invalid(code: 'INVALID_API_KEY' | 'SUBSCRIPTION_INACTIVE' | 'API_ACCESS_DISABLED'): ValidateApiKeyResponse {
  return { valid: false, error: errorTable[code].message, code };
}
