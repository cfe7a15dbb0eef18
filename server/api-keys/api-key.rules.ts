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
  /** A legacy key is valid until this time regardless of the subscription; null for any other key. */
  readonly legacy_expires_at_ms: number | null;
};

/** Returns true if the key is valid now regardless of the subscription. */
export function isGrandfathered({ legacy_expires_at_ms: endMs }: StoredApiKey, nowMs: number): boolean {
  return endMs !== null && nowMs < endMs;
}

type ApiKeyEvaluation =
  | { readonly result: 'valid' | ApiAccessProblem }
  | { readonly result: 'SUBSCRIPTION_EXPIRED'; readonly endMs: number };

/** Evaluates a current key. A legacy key that is no longer grandfathered depends on the subscription like any other. */
export function evaluateApiKey(key: StoredApiKey, access: ApiAccessInput, nowMs: number): ApiKeyEvaluation {
  if (isGrandfathered(key, nowMs)) return { result: 'valid' };
  const { legacy_expires_at_ms: endMs } = key;
  if (endMs !== null && !access.subscription?.givesAccess) return { result: 'SUBSCRIPTION_EXPIRED', endMs };
  return { result: evaluateApiAccess(access) ?? 'valid' };
}
