/** Says whether an API key is good, and whether an account may have one (decisions "API keys"). */

export type ApiAccessFacts = {
  /** `undefined` for an account that has no subscription. */
  readonly subscription: { readonly givesAccess: boolean; readonly planHasApiAccess: boolean } | undefined;
};

export type ApiAccessProblem = 'SUBSCRIPTION_INACTIVE' | 'API_ACCESS_DISABLED';

/** Whether the subscription brings API access; `undefined` where it does. A license alone never does. */
export function evaluateApiAccess({ subscription }: ApiAccessFacts): ApiAccessProblem | undefined {
  if (!subscription) return 'API_ACCESS_DISABLED';
  if (!subscription.givesAccess) return 'SUBSCRIPTION_INACTIVE';
  return subscription.planHasApiAccess ? undefined : 'API_ACCESS_DISABLED';
}

export type LegacyFacts = {
  readonly is_legacy: 0 | 1;
  /** Until then a legacy key is good whatever the subscription. */
  readonly legacy_expires_at_ms: number | null;
};

/** Whether the key has access of its own now, apart from any subscription. */
export function isGrandfathered(key: LegacyFacts, nowMs: number): boolean {
  return key.is_legacy === 1 && key.legacy_expires_at_ms !== null && nowMs < key.legacy_expires_at_ms;
}

export type ApiKeyEvaluation = 'valid' | ApiAccessProblem | 'SUBSCRIPTION_EXPIRED';

/** What a key that exists is worth. One whose legacy access has ended lives on a subscription that gives access. */
export function evaluateApiKey(key: LegacyFacts, access: ApiAccessFacts, nowMs: number): ApiKeyEvaluation {
  if (isGrandfathered(key, nowMs)) return 'valid';
  if (key.is_legacy === 1 && !access.subscription?.givesAccess) return 'SUBSCRIPTION_EXPIRED';
  return evaluateApiAccess(access) ?? 'valid';
}
