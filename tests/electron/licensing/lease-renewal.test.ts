/**
 * When a device requests its next lease: each reason to request one, each reason to wait, and what contradicts a lease.
 */
import { describe, expect, it } from 'vitest';
import type { EntitlementFacts } from '../../../electron/licensing/entitlement.ts';
import {
  askAgainMs,
  contradictions,
  isRenewalDue,
  type LastRequest,
  type RenewalInput,
} from '../../../electron/licensing/lease-renewal.ts';
import type { ValidateLicenseResponse } from '../../../shared/api/license.ts';
import type { SubscriptionStatusResponse } from '../../../shared/api/subscription.ts';
import type { LeaseClaims } from '../../../shared/lease.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { sampleClaims } from './sample-claims.ts';
import { licenseSummary as license, validLicense } from './sample-responses.ts';

const nowMs = Date.parse('2026-03-03T09:00:00.000Z');
const at = '2026-03-03T09:00:00.000Z';

const claims = sampleClaims({ issuedMs: nowMs - 100_000, renewAfterMs: nowMs, endMs: nowMs + 100_000 });

const valid = validLicense({ csv_export: true });
const refused: ValidateLicenseResponse = { valid: false, error: '', code: 'LICENSE_REVOKED' };

const subscription = {
  plan: 'standard',
  status: 'active',
  current_period_start: at,
  current_period_end: at,
  cancel_at_period_end: false,
} as const;
const status: SubscriptionStatusResponse = {
  has_subscription: true,
  subscription,
  license,
  features: { max_devices: 3, api_access: true } as never,
};

function factsOf(response?: ValidateLicenseResponse, said?: SubscriptionStatusResponse): EntitlementFacts {
  return {
    licenseKey: 'SVC-AB12-CD34-EF56-GH7X',
    localChange: null,
    validation: response ? { response, at } : null,
    status: said ? { response: said, at } : null,
  };
}

const activated = factsOf(valid, status);
/** The account's plan has changed since the lease was issued. */
const changed = factsOf(valid, { ...status, subscription: { ...subscription, plan: 'advanced' } });
const last = (more: Partial<LastRequest>): LastRequest => ({ outcome: 'given', ageMs: 0, contradicted: '', ...more });
const isDue = (more: Partial<RenewalInput>) =>
  isRenewalDue({ facts: activated, claims, nowMs: nowMs - 1, last: null, isRequested: false, ...more });

describe('the next lease is requested', () => {
  it.each([
    ['just before half of its life', nowMs - 1, false],
    ['at half of its life', nowMs, true],
    ['after it', nowMs + 1, true],
  ])('%s: %i', (_, atMs, expected) => {
    expect(isDue({ nowMs: atMs })).toBe(expected);
    // A sync that the user requests does not get a lease sooner.
    expect(isDue({ nowMs: atMs, isRequested: true })).toBe(expected);
    // A device that was released elsewhere may still have a lease, which the server is to end.
    expect(isDue({ nowMs: atMs, facts: factsOf() })).toBe(expected);
  });

  it('at every sync without a lease, if this device is activated', () => {
    expect(isDue({ claims: null })).toBe(true);
    expect(isDue({ claims: null, last: last({ outcome: 'inconclusive' }) })).toBe(true);
    expect(isDue({ claims: null, last: last({}) })).toBe(true);
    expect(isDue({ claims: null, facts: factsOf() })).toBe(false);
    expect(isDue({ claims: null, facts: factsOf(), isRequested: true })).toBe(false);
  });

  it.each([
    ['just before an hour has passed', askAgainMs - 1, false],
    ['an hour later', askAgainMs, true],
    ['after more than an hour', askAgainMs + 1, true],
  ])('after a refusal %s, or when the user asks', (_, ageMs, expected) => {
    const after = {
      claims: null,
      last: last({ outcome: 'refused', ageMs, contradicted: contradictions(activated, null) }),
    };
    expect(isDue(after)).toBe(expected);
    expect(isDue({ ...after, isRequested: true })).toBe(true);
  });

  it('immediately after a refusal if the server has answered differently since', () => {
    const contradicted = contradictions(activated, null);
    expect(isDue({ claims: null, facts: changed, last: last({ outcome: 'refused', contradicted }) })).toBe(true);
  });

  it.each([
    ['just before an hour has passed', askAgainMs - 1, false],
    ['an hour later', askAgainMs, true],
  ])('%s while the responses keep contradicting it in the same way', (_, ageMs, expected) => {
    const contradicted = contradictions(changed, claims);
    expect(contradicted).not.toBe('');
    expect(isDue({ facts: changed, last: last({ ageMs, contradicted }) })).toBe(expected);
    // A refusal to a device that has a lease waits just as long.
    expect(isDue({ facts: changed, last: last({ ageMs, contradicted, outcome: 'refused' }) })).toBe(expected);
  });

  it('immediately if the responses contradict it and no request was answered since', () => {
    const contradicted = contradictions(changed, claims);
    expect(isDue({ facts: changed })).toBe(true);
    expect(isDue({ facts: changed, last: last({}) })).toBe(true);
    expect(isDue({ facts: changed, last: last({ contradicted, outcome: 'inconclusive' }) })).toBe(true);
    expect(isDue({ last: last({ outcome: 'inconclusive', ageMs: askAgainMs }) })).toBe(false);
    expect(isDue({ last: last({ contradicted, ageMs: askAgainMs }) })).toBe(false);
  });
});

describe('what contradicts a lease', () => {
  const saidOf = (facts: EntitlementFacts, of: LeaseClaims | null = claims) => contradictions(facts, of);

  it.each<[string, EntitlementFacts]>([
    ['nothing is known', factsOf()],
    ['the validation and the status agree with it', activated],
    ['the validation was a no', factsOf(refused)],
    [
      'a status is about another license',
      factsOf(undefined, { ...status, license: { ...license, key_preview: 'X' }, features: seededPlans.free }),
    ],
    [
      'a status is about a suspended license',
      factsOf(undefined, { ...status, license: { ...license, status: 'inactive' }, features: seededPlans.free }),
    ],
    ['a status knows no plan', factsOf(undefined, { ...status, has_subscription: false, subscription: null })],
    ['a validation names another plan, which is that of the license alone', factsOf({ ...valid, plan: 'advanced' })],
    ['a validation names another plan than the subscription', factsOf({ ...valid, plan: 'advanced' }, status)],
  ])('is nothing where %s', (_, facts) => {
    expect(saidOf(facts)).toBe('');
  });

  it.each<[string, EntitlementFacts, unknown[]]>([
    [
      'a feature of the validation',
      factsOf({ ...valid, features: { csv_export: false } as never }),
      [['csv_export', false]],
    ],
    [
      'a feature of the status',
      factsOf(undefined, { ...status, features: { api_access: false } as never }),
      [['api_access', false]],
    ],
    [
      'a feature that the lease does not have',
      factsOf({ ...valid, features: { custom: true } as never }),
      [['custom', true]],
    ],
    [
      'the number of devices',
      factsOf(undefined, { ...status, features: { max_devices: 4 } as never }),
      [['max_devices', 4]],
    ],
    ['the plan of the subscription', changed, [['plan', 'advanced']]],
    [
      'the plan of the validation where there is no subscription',
      factsOf({ ...valid, plan: 'advanced' }, { ...status, has_subscription: false, subscription: null }),
      [['plan', 'advanced']],
    ],
  ])('is %s', (_, facts, said) => {
    expect(saidOf(facts)).toBe(JSON.stringify(said));
  });

  it('is everything if there is no lease', () => {
    const said = [
      ['csv_export', true],
      ['max_devices', 3],
      ['api_access', true],
      ['plan', 'standard'],
    ];
    expect(saidOf(activated, null)).toBe(JSON.stringify(said));
  });
});
