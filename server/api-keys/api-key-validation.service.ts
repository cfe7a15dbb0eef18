/**
 * Validates presented API keys. Other servers call this for each of their own requests, so this is the busiest path.
 */
import type { ValidateApiKeyResponse } from '../../shared/api/api-key.ts';
import { errorTable } from '../../shared/api/errors.ts';
import { isWellFormedApiKey } from '../../shared/formats/api-key.ts';
import type { ApiKeySnapshot } from '../account-snapshots/account-snapshot.ts';
import type { SnapshotCache } from '../account-snapshots/snapshot-cache.ts';
import { toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import { runWithDeadline, withinDeadline } from '../deadline.ts';
import { type FeaturesOf, freePlan, type PlanService } from '../plans/plan.service.ts';
import { chooseSubscription, givesAccess } from '../subscriptions/subscription.rules.ts';
import { hasLegacyKeys } from './api-key.repository.ts';
import { evaluateApiKey } from './api-key.rules.ts';
import { hashApiKey } from './api-key-hash.ts';

type ApiKeyValidationServiceDeps = CommonDeps & {
  readonly accountSnapshots: SnapshotCache;
  readonly plans: PlanService;
};

export class ApiKeyValidationService {
  readonly #deps: ApiKeyValidationServiceDeps;
  /** The last look-up, kept until any account changes, as it does when a key is imported. */
  #legacyKeys: Promise<boolean> | undefined;

  constructor(deps: ApiKeyValidationServiceDeps) {
    this.#deps = deps;
    deps.database.cacheInvalidation.onChange(() => {
      this.#legacyKeys = undefined;
    });
  }

  /** Handles `/metrics/api-key/validate`. */
  async validate(apiKey: string): Promise<ValidateApiKeyResponse> {
    const { accountSnapshots, plans, clock } = this.#deps;
    const key = (await this.#mayExist(apiKey)) ? await accountSnapshots.findApiKey(hashApiKey(apiKey)) : undefined;
    return key ? toResponse(key, await plans.loadFeatures(), clock.now()) : invalid('INVALID_API_KEY');
  }

  /** Returns false for a key that cannot exist: only legacy keys may have any form. */
  async #mayExist(apiKey: string): Promise<boolean> {
    if (isWellFormedApiKey(apiKey)) return true;
    const { cacheInvalidation, read } = this.#deps.database;
    if (!cacheInvalidation.catchUp()) return hasLegacyKeys(read);
    this.#legacyKeys ??= this.#lookUpLegacyKeys();
    return withinDeadline(this.#legacyKeys);
  }

  /** Other requests use the result too, so the deadline of this one does not apply. */
  #lookUpLegacyKeys(): Promise<boolean> {
    const lookUp = runWithDeadline(undefined, () => hasLegacyKeys(this.#deps.database.read));
    lookUp.catch(() => {
      if (this.#legacyKeys === lookUp) this.#legacyKeys = undefined;
    });
    return lookUp;
  }
}

function toResponse(key: ApiKeySnapshot, featuresOf: FeaturesOf, nowMs: number): ValidateApiKeyResponse {
  const chosen = chooseSubscription(key.subscriptions, featuresOf, nowMs);
  const hasAccess = chosen !== undefined && givesAccess(chosen, nowMs);
  const plan = chosen?.plan ?? freePlan;
  const features = featuresOf(plan);
  const subscription = chosen && { givesAccess: hasAccess, planHasApiAccess: features.api_access };
  const evaluation = evaluateApiKey(key, { subscription }, nowMs);
  switch (evaluation.result) {
    case 'valid': {
      const { csv_export } = hasAccess ? features : featuresOf(freePlan);
      const source = key.is_legacy === 1 ? 'legacy' : 'new';
      return { valid: true, plan, source, features: { api_access: true, csv_export }, subscription_active: hasAccess };
    }
    case 'SUBSCRIPTION_EXPIRED':
      return { valid: false, code: evaluation.result, expires_at: toIso(evaluation.endMs) };
    case 'SUBSCRIPTION_INACTIVE':
    case 'API_ACCESS_DISABLED':
      return invalid(evaluation.result);
  }
}

function invalid(code: 'INVALID_API_KEY' | 'SUBSCRIPTION_INACTIVE' | 'API_ACCESS_DISABLED'): ValidateApiKeyResponse {
  return { valid: false, error: errorTable[code].message, code };
}
