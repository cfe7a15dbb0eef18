/** Whether an event of a provider may change the subscription of its account, whatever order events arrive in. */

/** The last event that was applied to an account. */
export type AppliedEvent = {
  readonly event_at_ms: number;
  /** The provider's id of the subscription. */
  readonly reference: string | null;
};

export type OrderInput = {
  readonly last: AppliedEvent | undefined;
  readonly eventAtMs: number;
  readonly reference: string | null;
  /** Whether the event says that its subscription gives access. */
  readonly givesAccess: boolean;
  /** Whether the account has access now. */
  readonly hasAccess: boolean;
};

/**
 * An event that is older than the last one applied is outdated; one of the same time is applied. The end of a
 * subscription does not end the one that the customer has meanwhile bought in its place.
 */
export function decideOrder(input: OrderInput): 'apply' | 'outdated' | 'replaced' {
  const { last, eventAtMs, reference, givesAccess, hasAccess } = input;
  if (!last) return 'apply';
  if (eventAtMs < last.event_at_ms) return 'outdated';
  const isOther = last.reference !== null && reference !== null && last.reference !== reference;
  return isOther && hasAccess && !givesAccess ? 'replaced' : 'apply';
}
