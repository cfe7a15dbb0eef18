/** Decides whether an API key is valid, and whether a user may have one. */

type ApiAccessInput = {
  /** `undefined` for a user without a subscription. */
  readonly subscription: { readonly givesAccess: boolean; readonly planHasApiAccess: boolean } | undefined;
};

export type ApiAccessProblem = 'SUBSCRIPTION_INACTIVE' | 'API_ACCESS_DISABLED';

/**
 * Returns why the user has no API access; `undefined` if they have it. It requires a subscription; a license is not
 * enough.
 */
export function evaluateApiAccess({ subscription }: ApiAccessInput): ApiAccessProblem | undefined {
  if (!subscription) return 'API_ACCESS_DISABLED';
  if (!subscription.givesAccess) return 'SUBSCRIPTION_INACTIVE';
  return subscription.planHasApiAccess ? undefined : 'API_ACCESS_DISABLED';
}

type StoredApiKey = {
  readonly is_legacy: 0 | 1;
  /** A legacy key is valid until this time regardless of the subscription. */
  readonly legacy_expires_at_ms: number | null;
};

/** Returns true if the key is valid now regardless of the subscription. */
export function isGrandfathered(key: StoredApiKey, nowMs: number): boolean {
  return key.is_legacy === 1 && key.legacy_expires_at_ms !== null && nowMs < key.legacy_expires_at_ms;
}

type ApiKeyEvaluation = 'valid' | ApiAccessProblem | 'SUBSCRIPTION_EXPIRED';

/** Evaluates a current key. A legacy key that is no longer grandfathered depends on the subscription like any other. */
export function evaluateApiKey(key: StoredApiKey, access: ApiAccessInput, nowMs: number): ApiKeyEvaluation {
  if (isGrandfathered(key, nowMs)) return 'valid';
  if (key.is_legacy === 1 && !access.subscription?.givesAccess) return 'SUBSCRIPTION_EXPIRED';
  return evaluateApiAccess(access) ?? 'valid';
}
