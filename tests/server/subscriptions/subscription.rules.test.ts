/** What a subscription reads as at a moment. */
import { describe, expect, it } from 'vitest';
import { givesAccess, readSubscriptionStatus } from '../../../server/subscriptions/subscription.rules.ts';

describe('a subscription', () => {
  it.each([
    // as set, within its period: reads, gives access; at its end: reads
    { status: 'trialing', within: 'trialing', access: true, after: 'expired' },
    { status: 'active', within: 'active', access: true, after: 'expired' },
    { status: 'past_due', within: 'past_due', access: true, after: 'expired' },
    { status: 'canceled', within: 'canceled', access: false, after: 'canceled' },
    { status: 'expired', within: 'expired', access: false, after: 'expired' },
  ] as const)(
    'that is $status reads $within, and $after once its period is over',
    ({ status, within, access, after }) => {
      const subscription = { status, current_period_end_ms: 1000 };
      expect(readSubscriptionStatus(subscription, 999)).toBe(within);
      expect(givesAccess(subscription, 999)).toBe(access);
      expect(readSubscriptionStatus(subscription, 1000)).toBe(after);
      expect(givesAccess(subscription, 1000)).toBe(false);
    },
  );
});
