/** Whether an API key is valid, and whether a user may have one. */

export type ApiAccessInput = {
  /** `undefined` for a user without a subscription. */
  readonly subscription: { readonly givesAccess: boolean; readonly planHasApiAccess: boolean } | undefined;
};

export type ApiAccessProblem = 'SUBSCRIPTION_INACTIVE' | 'API_ACCESS_DISABLED';

/** `undefined` if the user has API access, which comes with a subscription, not with a license alone. */
export function evaluateApiAccess({ subscription }: ApiAccessInput): ApiAccessProblem | undefined {
  if (!subscription) return 'API_ACCESS_DISABLED';
  if (!subscription.givesAccess) return 'SUBSCRIPTION_INACTIVE';
  return subscription.planHasApiAccess ? undefined : 'API_ACCESS_DISABLED';
}

export type StoredApiKey = {
  readonly is_legacy: 0 | 1;
  /** Until then a legacy key is valid whatever the subscription. */
  readonly legacy_expires_at_ms: number | null;
};

/** Whether the key is valid by itself now, without a subscription. */
export function isGrandfathered(key: StoredApiKey, nowMs: number): boolean {
  return key.is_legacy === 1 && key.legacy_expires_at_ms !== null && nowMs < key.legacy_expires_at_ms;
}

export type ApiKeyEvaluation = 'valid' | ApiAccessProblem | 'SUBSCRIPTION_EXPIRED';

/** For a current key. A legacy key that is no longer grandfathered depends on the subscription like any other. */
export function evaluateApiKey(key: StoredApiKey, access: ApiAccessInput, nowMs: number): ApiKeyEvaluation {
  if (isGrandfathered(key, nowMs)) return 'valid';
  if (key.is_legacy === 1 && !access.subscription?.givesAccess) return 'SUBSCRIPTION_EXPIRED';
  return evaluateApiAccess(access) ?? 'valid';
}
