/** Whether an API key is good, in every case. */
import { describe, expect, it } from 'vitest';
import { evaluateApiAccess, evaluateApiKey, isGrandfathered } from '../../../server/api-keys/api-key.rules.ts';

const none = undefined;
const good = { givesAccess: true, planHasApiAccess: true };
const free = { givesAccess: true, planHasApiAccess: false };
const over = { givesAccess: false, planHasApiAccess: true };
const overAndFree = { givesAccess: false, planHasApiAccess: false };

const newKey = { is_legacy: 0, legacy_expires_at_ms: null } as const;
const legacy = { is_legacy: 1, legacy_expires_at_ms: 1000 } as const;

describe('the verdict on a key', () => {
  it.each([
    {
      when: 'a new one with a subscription that has API access',
      key: newKey,
      nowMs: 0,
      subscription: good,
      verdict: 'valid',
    },
    {
      when: 'a new one on a plan without it',
      key: newKey,
      nowMs: 0,
      subscription: free,
      verdict: 'API_ACCESS_DISABLED',
    },
    {
      when: 'a new one whose subscription is over',
      key: newKey,
      nowMs: 0,
      subscription: over,
      verdict: 'SUBSCRIPTION_INACTIVE',
    },
    {
      when: 'a new one over and without it',
      key: newKey,
      nowMs: 0,
      subscription: overAndFree,
      verdict: 'SUBSCRIPTION_INACTIVE',
    },
    {
      when: 'a new one without subscription',
      key: newKey,
      nowMs: 0,
      subscription: none,
      verdict: 'API_ACCESS_DISABLED',
    },
    {
      when: 'a legacy one in its time, without subscription',
      key: legacy,
      nowMs: 999,
      subscription: none,
      verdict: 'valid',
    },
    {
      when: 'a legacy one in its time, subscription over',
      key: legacy,
      nowMs: 999,
      subscription: over,
      verdict: 'valid',
    },
    {
      when: 'a legacy one in its time, plan without access',
      key: legacy,
      nowMs: 999,
      subscription: free,
      verdict: 'valid',
    },
    {
      when: 'a legacy one afterwards, without subscription',
      key: legacy,
      nowMs: 1000,
      subscription: none,
      verdict: 'SUBSCRIPTION_EXPIRED',
    },
    {
      when: 'a legacy one afterwards, subscription over',
      key: legacy,
      nowMs: 1000,
      subscription: over,
      verdict: 'SUBSCRIPTION_EXPIRED',
    },
    {
      when: 'a legacy one afterwards, subscription active',
      key: legacy,
      nowMs: 1000,
      subscription: good,
      verdict: 'valid',
    },
    {
      when: 'a legacy one afterwards, plan without access',
      key: legacy,
      nowMs: 1000,
      subscription: free,
      verdict: 'API_ACCESS_DISABLED',
    },
  ] as const)('is $verdict for $when', ({ key, nowMs, subscription, verdict }) => {
    expect(evaluateApiKey(key, { subscription }, nowMs)).toBe(verdict);
  });
});

describe('API access', () => {
  it.each([
    { subscription: none, refusal: 'API_ACCESS_DISABLED' },
    { subscription: good, refusal: undefined },
    { subscription: free, refusal: 'API_ACCESS_DISABLED' },
    { subscription: over, refusal: 'SUBSCRIPTION_INACTIVE' },
  ] as const)('of $subscription is refused with $refusal', ({ subscription, refusal }) => {
    expect(evaluateApiAccess({ subscription })).toBe(refusal);
  });

  it('comes with a legacy key itself until its time is over', () => {
    expect(isGrandfathered(legacy, 999)).toBe(true);
    expect(isGrandfathered(legacy, 1000)).toBe(false);
    expect(isGrandfathered(newKey, 0)).toBe(false);
  });
});
