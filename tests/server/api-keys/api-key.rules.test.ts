/** Whether an API key is valid, in every case. */
import { describe, expect, it } from 'vitest';
import { evaluateApiAccess, evaluateApiKey, isGrandfathered } from '../../../server/api-keys/api-key.rules.ts';

const none = undefined;
const good = { givesAccess: true, planHasApiAccess: true };
const free = { givesAccess: true, planHasApiAccess: false };
const over = { givesAccess: false, planHasApiAccess: true };
const overAndFree = { givesAccess: false, planHasApiAccess: false };

const newKey = { legacy_expires_at_ms: null } as const;
const legacy = { legacy_expires_at_ms: 1000 } as const;

describe('the result for a key', () => {
  it.each([
    {
      when: 'a new one with a subscription that has API access',
      key: newKey,
      nowMs: 0,
      subscription: good,
      result: 'valid',
    },
    {
      when: 'a new one on a plan without it',
      key: newKey,
      nowMs: 0,
      subscription: free,
      result: 'API_ACCESS_DISABLED',
    },
    {
      when: 'a new one whose subscription is over',
      key: newKey,
      nowMs: 0,
      subscription: over,
      result: 'SUBSCRIPTION_INACTIVE',
    },
    {
      when: 'a new one over and without it',
      key: newKey,
      nowMs: 0,
      subscription: overAndFree,
      result: 'SUBSCRIPTION_INACTIVE',
    },
    {
      when: 'a new one without subscription',
      key: newKey,
      nowMs: 0,
      subscription: none,
      result: 'API_ACCESS_DISABLED',
    },
    {
      when: 'a legacy one in its time, without subscription',
      key: legacy,
      nowMs: 999,
      subscription: none,
      result: 'valid',
    },
    {
      when: 'a legacy one in its time, subscription over',
      key: legacy,
      nowMs: 999,
      subscription: over,
      result: 'valid',
    },
    {
      when: 'a legacy one in its time, plan without access',
      key: legacy,
      nowMs: 999,
      subscription: free,
      result: 'valid',
    },
    {
      when: 'a legacy one afterwards, without subscription',
      key: legacy,
      nowMs: 1000,
      subscription: none,
      result: 'SUBSCRIPTION_EXPIRED',
      endMs: 1000,
    },
    {
      when: 'a legacy one afterwards, subscription over',
      key: legacy,
      nowMs: 1000,
      subscription: over,
      result: 'SUBSCRIPTION_EXPIRED',
      endMs: 1000,
    },
    {
      when: 'a legacy one afterwards, subscription active',
      key: legacy,
      nowMs: 1000,
      subscription: good,
      result: 'valid',
    },
    {
      when: 'a legacy one afterwards, plan without access',
      key: legacy,
      nowMs: 1000,
      subscription: free,
      result: 'API_ACCESS_DISABLED',
    },
  ] as const)('is $result for $when', ({ when: _when, key, nowMs, subscription, ...evaluation }) => {
    expect(evaluateApiKey(key, { subscription }, nowMs)).toStrictEqual(evaluation);
  });
});

describe('API access', () => {
  it.each([
    { subscription: none, error: 'API_ACCESS_DISABLED' },
    { subscription: good, error: undefined },
    { subscription: free, error: 'API_ACCESS_DISABLED' },
    { subscription: over, error: 'SUBSCRIPTION_INACTIVE' },
  ] as const)('of $subscription gets the error $error', ({ subscription, error }) => {
    expect(evaluateApiAccess({ subscription })).toBe(error);
  });

  it('is included in a legacy key until its end', () => {
    expect(isGrandfathered(legacy, 999)).toBe(true);
    expect(isGrandfathered(legacy, 1000)).toBe(false);
    expect(isGrandfathered(newKey, 0)).toBe(false);
  });
});
