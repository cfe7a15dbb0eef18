/** Validates presented API keys. Other servers call this for each of their own requests, so it is the busiest path. */
import type { ValidateApiKeyResponse } from '../../shared/api/api-key.ts';
import { errorTable } from '../../shared/api/errors.ts';
import { isWellFormedApiKey } from '../../shared/formats/api-key.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { CachedApiKey } from '../entitlements/account-record.ts';
import type { AccountRecords } from '../entitlements/account-records.ts';
import { type FeaturesOf, freePlan, type PlanService } from '../plans/plan.service.ts';
import { chooseSubscription, givesAccess } from '../subscriptions/subscription.rules.ts';
import { hasLegacyKeys } from './api-key.repository.ts';
import { evaluateApiKey } from './api-key.rules.ts';
import { digestApiKey } from './api-key-hash.ts';
import { LegacyKeyCache } from './legacy-key-cache.ts';

export type ApiKeyValidationServiceDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly accountRecords: AccountRecords;
  readonly plans: PlanService;
};

export class ApiKeyValidationService {
  readonly #deps: ApiKeyValidationServiceDeps;
  readonly #legacyKeys: LegacyKeyCache;

  constructor(deps: ApiKeyValidationServiceDeps) {
    this.#deps = deps;
    this.#legacyKeys = new LegacyKeyCache({
      clock: deps.clock,
      hasLegacyKeys: () => hasLegacyKeys(deps.database.read),
    });
  }

  /** The response of `/metrics/api-key/validate`; without a promise if the key is cached. */
  validate(apiKey: string): ValidateApiKeyResponse | Promise<ValidateApiKeyResponse> {
    if (!isWellFormedApiKey(apiKey)) return this.#validateIllFormed(apiKey);
    return this.#validateDigest(digestApiKey(apiKey));
  }

  /** This process imported a legacy key. */
  noteImport(): void {
    this.#legacyKeys.noteImport();
  }

  #validateDigest(digest: string): ValidateApiKeyResponse | Promise<ValidateApiKeyResponse> {
    const { accountRecords, plans, clock } = this.#deps;
    const record = accountRecords.findApiKey(digest);
    const featuresOf = plans.cachedFeatures;
    return record && featuresOf ? toResponse(record, featuresOf, clock.now()) : this.#loadAndValidate(digest);
  }

  async #loadAndValidate(digest: string): Promise<ValidateApiKeyResponse> {
    const { accountRecords, plans, clock } = this.#deps;
    const record = await accountRecords.loadApiKey(digest);
    return record ? toResponse(record, await plans.loadFeatures(), clock.now()) : invalid('INVALID_API_KEY');
  }

  /** Only a legacy key can have another form than ours. */
  async #validateIllFormed(apiKey: string): Promise<ValidateApiKeyResponse> {
    if (apiKey === '' || !(await this.#legacyKeys.hasAny())) return invalid('INVALID_API_KEY');
    return this.#validateDigest(digestApiKey(apiKey));
  }
}

function toResponse(key: CachedApiKey, featuresOf: FeaturesOf, nowMs: number): ValidateApiKeyResponse {
  const chosen = chooseSubscription(key.subscriptions, featuresOf, nowMs);
  const hasAccess = chosen !== undefined && givesAccess(chosen, nowMs);
  const plan = chosen?.plan ?? freePlan;
  const features = featuresOf(plan);
  const subscription = chosen && { givesAccess: hasAccess, planHasApiAccess: features.api_access };
  const evaluation = evaluateApiKey(key, { subscription }, nowMs);
  switch (evaluation) {
    case 'valid': {
      const { csv_export } = hasAccess ? features : featuresOf(freePlan);
      const source = key.is_legacy === 1 ? 'legacy' : 'new';
      return { valid: true, plan, source, features: { api_access: true, csv_export }, subscription_active: hasAccess };
    }
    case 'SUBSCRIPTION_EXPIRED':
      return { valid: false, code: evaluation, expires_at: toIso(key.legacy_expires_at_ms ?? nowMs) };
    case 'SUBSCRIPTION_INACTIVE':
    case 'API_ACCESS_DISABLED':
      return invalid(evaluation);
  }
}

function invalid(code: 'INVALID_API_KEY' | 'SUBSCRIPTION_INACTIVE' | 'API_ACCESS_DISABLED'): ValidateApiKeyResponse {
  return { valid: false, error: errorTable[code].message, code };
}
