/** What stored responses and local changes entitle to: a table of cases, and properties that hold for every history. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideFeatures,
  decideLicenseState,
  type EntitlementFacts,
  featuresSignedOut,
  graceMs,
  isActivated,
  isAnotherLicenseInStatus,
  isCheckedInFuture,
  isLeaseGood,
  isReleasedElsewhere,
  isStatusCurrent,
  type LeaseInput,
  licenseInStatus,
  maskLicenseKey,
  namesGranted,
} from '../../../electron/licensing/entitlement.ts';
import type { LocalChange } from '../../../electron/licensing/license-store.ts';
import type { ValidateLicenseResponse } from '../../../shared/api/license.ts';
import type { SubscriptionStatusResponse } from '../../../shared/api/subscription.ts';
import type { LicenseState, Reachability } from '../../../shared/ipc/app-state.ts';
import { builtInFeatures, seededPlans } from '../../../shared/seeded-features.ts';
import { sampleClaims } from './sample-claims.ts';
import { licenseSummary as license, validLicense } from './sample-responses.ts';

const nowMs = Date.parse('2026-03-03T09:00:00.000Z');
const dayMs = 86_400_000;
const instant = (ms: number) => new Date(ms).toISOString();
const online: Reachability = { kind: 'online' };
const offline: Reachability = {
  kind: 'offline',
  since: instant(nowMs - 3_600_000),
  nextTryAt: null,
  failure: { code: 'SERVER_UNREACHABLE', message: '', at: instant(nowMs) },
};

const valid = validLicense({ ...seededPlans.standard });

function subscribed(more: { end?: number; cancels?: boolean; licensed?: boolean } = {}): SubscriptionStatusResponse {
  return {
    has_subscription: true,
    subscription: {
      plan: 'standard',
      status: 'active',
      current_period_start: instant(nowMs - dayMs),
      current_period_end: instant(more.end ?? nowMs + 20 * dayMs),
      cancel_at_period_end: more.cancels ?? false,
    },
    license: more.licensed === false ? null : license,
    features: seededPlans.standard,
  };
}

const perpetual: SubscriptionStatusResponse = {
  has_subscription: false,
  subscription: null,
  license,
  features: seededPlans.standard,
};
const free: SubscriptionStatusResponse = {
  has_subscription: false,
  subscription: null,
  license: null,
  features: seededPlans.free,
};

type FactsInput = {
  readonly response?: ValidateLicenseResponse;
  readonly status?: SubscriptionStatusResponse;
  readonly key?: boolean;
  readonly ageMs?: number;
  readonly change?: LocalChange;
};

function factsOf(input: FactsInput): EntitlementFacts {
  const at = instant(nowMs - (input.ageMs ?? 0));
  return {
    licenseKey: input.key === false ? null : 'SVC-AB12-CD34-EF56-GH7X',
    localChange: input.change ?? null,
    validation: input.response ? { response: input.response, at } : null,
    status: input.status ? { response: input.status, at } : null,
  };
}

const noLease = { claims: null, floorMs: 0, isNeeded: false };
const named = { names: builtInFeatures, lease: null, arePinned: false };
const decide = (facts: EntitlementFacts, reachability: Reachability = online, atMs = nowMs) =>
  decideLicenseState(facts, { nowMs: atMs, reachability, lease: noLease });
const flagsOn = (facts: EntitlementFacts, state: LicenseState) =>
  decideFeatures(facts, state, named).flatMap((flag) => (flag.on ? [flag.feature] : []));

describe('a device that was released elsewhere', () => {
  const released = { ...valid, already_activated_on_device: false };
  const activated: LocalChange = { kind: 'activated', activations: 1, maxActivations: 3, at: instant(nowMs) };
  it.each<[string, EntitlementFacts, string | null, boolean]>([
    ['had an activation that the server no longer has', factsOf({ response: released }), 'a0', true],
    ['is not one that never had an activation', factsOf({ response: released }), null, false],
    ['is not one whose activation the server confirms', factsOf({ response: valid }), 'a0', false],
    ['is not one activated since', factsOf({ response: released, change: activated }), 'a0', false],
    ['is not one that was never validated', factsOf({}), 'a0', false],
    [
      'is not one whose license is no longer valid',
      factsOf({ response: { valid: false, error: 'No.', code: 'LICENSE_REVOKED' } as ValidateLicenseResponse }),
      'a0',
      false,
    ],
  ])('%s', (_, facts, activationId, expected) => {
    expect(isReleasedElsewhere({ ...facts, activationId })).toBe(expected);
  });
});

describe('the license state', () => {
  const works = (until: string | null, worksUntil = instant(nowMs + graceMs)): LicenseState => ({
    kind: 'works',
    plan: 'standard',
    until,
    worksUntil,
  });
  it.each<[string, EntitlementFacts, Reachability, LicenseState]>([
    ['nothing known', factsOf({ key: false }), online, { kind: 'unknown' }],
    ['a key never validated', factsOf({ status: subscribed() }), online, { kind: 'unknown' }],
    ['no license anywhere', factsOf({ key: false, status: free }), online, { kind: 'no-license' }],
    ['a license, but no key here', factsOf({ key: false, status: subscribed() }), online, { kind: 'not-activated' }],
    ...(['revoked', 'expired'] as const).map((status): [string, EntitlementFacts, Reachability, LicenseState] => [
      `a license of the account that is ${status}, and no key here`,
      factsOf({ key: false, status: { ...perpetual, license: { ...license, status } } }),
      online,
      { kind: 'blocked', reason: status },
    ]),
    [
      'a suspended license of the account, and no key here',
      factsOf({ key: false, status: { ...perpetual, license: { ...license, status: 'inactive' } } }),
      online,
      { kind: 'blocked', reason: 'suspended' },
    ],
    [
      'a subscription without a license',
      factsOf({ key: false, status: subscribed({ licensed: false }) }),
      online,
      { kind: 'no-license' },
    ],
    [
      'a key released elsewhere',
      factsOf({ response: { ...valid, already_activated_on_device: false }, status: subscribed() }),
      online,
      { kind: 'not-activated' },
    ],
    [
      'a good license with a subscription',
      factsOf({ response: valid, status: subscribed() }),
      online,
      works(instant(nowMs + 20 * dayMs)),
    ],
    ['a perpetual license', factsOf({ response: valid, status: perpetual }), online, works(null)],
    [
      'a perpetual license beside an ended subscription',
      factsOf({ response: valid, status: subscribed({ end: nowMs - dayMs }) }),
      online,
      works(null),
    ],
    ['a good license before the account is known', factsOf({ response: valid }), online, works(null)],
    [
      'offline within the grace',
      factsOf({ response: valid, status: subscribed(), ageMs: dayMs }),
      offline,
      { kind: 'offline', plan: 'standard', since: instant(nowMs - 3_600_000), worksUntil: instant(nowMs + 6 * dayMs) },
    ],
    [
      'offline with a subscription that renews within the grace',
      factsOf({ response: valid, status: subscribed({ end: nowMs + dayMs }), ageMs: dayMs }),
      offline,
      { kind: 'offline', plan: 'standard', since: instant(nowMs - 3_600_000), worksUntil: instant(nowMs + 6 * dayMs) },
    ],
    [
      'offline with a subscription that was canceled for the end of its period',
      factsOf({ response: valid, status: subscribed({ end: nowMs + dayMs, cancels: true }), ageMs: dayMs }),
      offline,
      { kind: 'offline', plan: 'standard', since: instant(nowMs - 3_600_000), worksUntil: instant(nowMs + dayMs) },
    ],
    [
      'offline for longer than the grace',
      factsOf({ response: valid, ageMs: graceMs }),
      offline,
      { kind: 'offline-ended', since: instant(nowMs - 3_600_000) },
    ],
    [
      'not validated for longer than the grace',
      factsOf({ response: valid, ageMs: graceMs }),
      { kind: 'unknown' },
      { kind: 'offline-ended', since: instant(nowMs - graceMs) },
    ],
    [
      'validated in the future of the trusted time',
      factsOf({ response: valid, status: perpetual, ageMs: -dayMs }),
      offline,
      { kind: 'offline-ended', since: instant(nowMs - 3_600_000) },
    ],
    [
      'validated in the future, before the server was called',
      factsOf({ response: valid, status: perpetual, ageMs: -dayMs }),
      { kind: 'unknown' },
      { kind: 'offline-ended', since: instant(nowMs) },
    ],
    [
      'activated here after the validation',
      factsOf({
        response: { ...valid, already_activated_on_device: false },
        status: subscribed(),
        change: { kind: 'activated', activations: 1, maxActivations: 3, at: instant(nowMs) },
      }),
      online,
      works(instant(nowMs + 20 * dayMs)),
    ],
    [
      'activated here without a validation, with the plan in the status',
      factsOf({
        status: perpetual,
        change: { kind: 'activated', activations: 1, maxActivations: 3, at: instant(nowMs) },
      }),
      online,
      works(null),
    ],
    [
      'activated here without a validation, and another license in the status',
      factsOf({
        status: { ...perpetual, license: { ...license, key_preview: 'SVC-XXXX...0000' } },
        change: { kind: 'activated', activations: 1, maxActivations: 3, at: instant(nowMs) },
      }),
      online,
      { kind: 'unknown' },
    ],
    [
      'activated here for longer ago than the grace',
      factsOf({
        status: perpetual,
        change: { kind: 'activated', activations: 1, maxActivations: 3, at: instant(nowMs - graceMs) },
      }),
      offline,
      { kind: 'offline-ended', since: instant(nowMs - 3_600_000) },
    ],
    [
      'released here after the validation',
      factsOf({ response: valid, status: subscribed(), change: { kind: 'released', at: instant(nowMs) } }),
      online,
      { kind: 'not-activated' },
    ],
    [
      'an invalid license that was released here',
      factsOf({
        response: { valid: false, error: '', code: 'LICENSE_REVOKED' },
        change: { kind: 'released', at: instant(nowMs) },
      }),
      online,
      { kind: 'blocked', reason: 'revoked' },
    ],
    [
      'an invalid license',
      factsOf({ response: { valid: false, error: '', code: 'LICENSE_REVOKED' } }),
      online,
      { kind: 'blocked', reason: 'revoked' },
    ],
    [
      'an invalid license, offline',
      factsOf({ response: { valid: false, error: '', code: 'LICENSE_EXPIRED' } }),
      offline,
      { kind: 'blocked', reason: 'expired' },
    ],
  ])('%s', (_, facts, reachability, expected) => {
    expect(decide(facts, reachability)).toEqual(expected);
  });
});

describe('the features', () => {
  it('are those of the account, overridden by those of the validation', () => {
    const carried = { ...valid.features, csv_export: false, api_access: true };
    const facts = factsOf({
      response: { ...valid, features: carried },
      status: {
        ...subscribed(),
        features: { ...seededPlans.standard, api_access: false },
      } as SubscriptionStatusResponse,
    });
    const on = flagsOn(facts, decide(facts));
    expect(on).toContain('session_recording');
    expect(on).toContain('api_access');
    expect(on).not.toContain('csv_export');
  });

  it('of the free plan are on without a license, and the others name the plan that has them', () => {
    const facts = factsOf({ key: false, status: free });
    expect(flagsOn(facts, decide(facts))).toEqual(['real_time_visualization']);
    expect(decideFeatures(facts, decide(facts), named).find(({ feature }) => feature === 'csv_export')).toEqual({
      feature: 'csv_export',
      on: false,
      reason: { kind: 'plan', plan: 'free', availableOn: 'standard' },
    });
  });

  it('of a subscription require a license that is activated here', () => {
    const facts = factsOf({ key: false, status: subscribed({ licensed: false }) });
    expect(flagsOn(facts, decide(facts))).toEqual([]);
  });

  it('are all off in every state that is not good, with that state as the reason', () => {
    const facts = factsOf({ response: { ...valid, already_activated_on_device: false }, status: subscribed() });
    for (const flag of decideFeatures(facts, decide(facts), named)) {
      expect(flag).toMatchObject({ on: false, reason: { kind: 'license', license: { kind: 'not-activated' } } });
    }
  });
});

/** A lease issued a day ago that lasts six more. */
const claims = sampleClaims({ issuedMs: nowMs - dayMs, renewAfterMs: nowMs, endMs: nowMs + 6 * dayMs });
const endMs = claims.exp * 1000;
const activated: LocalChange = { kind: 'activated', activations: 1, maxActivations: 3, at: instant(nowMs) };
const neverReached: Reachability = { kind: 'unknown' };

describe('the license state with a lease', () => {
  const withLease = (
    facts: EntitlementFacts,
    reachability: Reachability,
    atMs = nowMs,
    more: Partial<LeaseInput> = {},
  ) => decideLicenseState(facts, { nowMs: atMs, reachability, lease: { ...noLease, claims, ...more } });
  const since = instant(nowMs - 3_600_000);
  const worksUntil = instant(endMs);

  it.each([
    ['just before its end', endMs - 1, true],
    ['at its end', endMs, false],
    ['just after its end', endMs + 1, false],
  ])('is good %s: %i', (_, atMs, isGood) => {
    expect(isLeaseGood(claims, atMs)).toBe(isGood);
    const late = withLease(factsOf({ key: false }), offline, atMs);
    expect(late).toEqual(
      isGood ? { kind: 'offline', plan: 'standard', since, worksUntil } : { kind: 'offline-ended', since },
    );
    // A floor has the same effect as the time itself.
    expect(withLease(factsOf({ key: false }), offline, nowMs, { floorMs: atMs })).toEqual(late);
  });

  it.each<[string, SubscriptionStatusResponse | undefined, number, string | null]>([
    ['that ends later', subscribed(), nowMs, instant(nowMs + 20 * dayMs)],
    ['that ends now', subscribed({ end: nowMs }), nowMs, null],
    ['that ends in a moment', subscribed({ end: nowMs + 1 }), nowMs, instant(nowMs + 1)],
    ['that had ended when the lease was signed', subscribed({ end: nowMs - dayMs }), nowMs - 2 * dayMs, null],
    [
      'that ended just after the lease was signed',
      subscribed({ end: nowMs - dayMs + 1 }),
      nowMs - 2 * dayMs,
      instant(nowMs - dayMs + 1),
    ],
    ['that there is not', perpetual, nowMs, null],
    ['that is not known', undefined, nowMs, null],
  ])('works until the end of a subscription %s', (_, status, atMs, until) => {
    const facts = factsOf({ key: false, ...(status && { status }) });
    expect(withLease(facts, online, atMs)).toEqual({ kind: 'works', plan: 'standard', until, worksUntil });
  });

  it('does not name the end of a subscription with another plan, since the lease may be newer', () => {
    const facts = factsOf({ key: false, status: subscribed() });
    const state = withLease(facts, online, nowMs, { claims: { ...claims, plan: 'advanced' } });
    expect(state).toEqual({ kind: 'works', plan: 'advanced', until: null, worksUntil });
  });

  it('is good even though an older validation was refused', () => {
    const facts = factsOf({ response: { valid: false, error: '', code: 'LICENSE_REVOKED' } });
    expect(withLease(facts, neverReached)).toMatchObject({ kind: 'works' });
  });

  it.each<[string, EntitlementFacts]>([
    ['without a key', factsOf({ key: false, status: perpetual })],
    ['with a key that was never validated', factsOf({ status: free })],
    ['with a plan in the status and no date', factsOf({ status: perpetual })],
    ['with an activated key', factsOf({ response: valid, status: perpetual })],
  ])('waits for a lease that has ended unless the server cannot be reached, %s', (_, facts) => {
    const ended = (reachability: Reachability) => withLease(facts, reachability, endMs, { isNeeded: true });
    expect(ended(online)).toEqual({ kind: 'waiting-for-lease' });
    expect(ended(offline)).toEqual({ kind: 'offline-ended', since });
    expect(ended(neverReached)).toEqual({ kind: 'offline-ended', since: instant(endMs) });
  });

  it('falls back to a conclusive refusal, or to a device that is not activated, once the lease has ended', () => {
    const no = factsOf({ response: { valid: false, error: '', code: 'LICENSE_REVOKED' } });
    expect(withLease(no, online, endMs)).toEqual({ kind: 'blocked', reason: 'revoked' });
    const released = factsOf({ response: { ...valid, already_activated_on_device: false } });
    expect(withLease(released, online, endMs, { isNeeded: true })).toEqual({ kind: 'not-activated' });
  });

  it.each([
    [true, { kind: 'waiting-for-lease' }],
    [false, { kind: 'works' }],
  ])('without a lease, where one is needed (%s), is $kind for an activated key', (isNeeded, expected) => {
    const facts = factsOf({ response: valid, status: perpetual });
    expect(withLease(facts, online, nowMs, { claims: null, isNeeded })).toMatchObject(expected);
    // The need for a lease does not make an unchecked key known.
    expect(withLease(factsOf({}), online, nowMs, { claims: null, isNeeded })).toEqual({ kind: 'unknown' });
  });
});

describe('a conclusive refusal', () => {
  it.each([
    ['LICENSE_REVOKED', 'revoked'],
    ['LICENSE_EXPIRED', 'expired'],
    ['SUBSCRIPTION_INACTIVE', 'subscription-ended'],
    ['LICENSE_NOT_FOUND', 'not-found'],
    ['LICENSE_INACTIVE', 'suspended'],
    ['SOMETHING_NEW', 'suspended'],
  ])('with the code %s is shown as %s', (code, reason) => {
    expect(decide(factsOf({ response: { valid: false, error: '', code } }))).toEqual({ kind: 'blocked', reason });
  });
});

describe('the grace period', () => {
  const minuteMs = 60_000;
  it.each([
    ['just before its end', graceMs - 1, 'works'],
    ['at its end', graceMs, 'offline-ended'],
    ['for a response from as far ahead as clocks may differ', -5 * minuteMs, 'works'],
    ['for a response from further ahead', -5 * minuteMs - 1, 'offline-ended'],
  ])('%s', (_, ageMs, kind) => {
    const facts = factsOf({ response: valid, status: perpetual, ageMs });
    expect(decide(facts).kind).toBe(kind);
    expect(isCheckedInFuture(facts, nowMs)).toBe(ageMs < -5 * minuteMs);
  });

  it.each<[string, Parameters<typeof subscribed>[0], number]>([
    ['that renews just before', { end: nowMs + graceMs - 1 }, nowMs + graceMs],
    ['that is canceled for just before', { end: nowMs + graceMs - 1, cancels: true }, nowMs + graceMs - 1],
    ['that is canceled for just after', { end: nowMs + graceMs + 1, cancels: true }, nowMs + graceMs],
    ['that was over when the server said yes', { end: nowMs, cancels: true }, nowMs + graceMs],
    ['that was over just after the server said yes', { end: nowMs + 1, cancels: true }, nowMs + 1],
  ])('ends with a subscription %s', (_, subscription, untilMs) => {
    const facts = factsOf({ response: valid, status: subscribed(subscription) });
    expect(decide(facts)).toMatchObject({ kind: 'works', worksUntil: instant(untilMs) });
    expect(decide(facts, offline)).toMatchObject({ kind: 'offline', worksUntil: instant(untilMs) });
  });

  it.each([
    ['now', 0, null],
    ['in a moment', 1, instant(nowMs + 1)],
  ])('a subscription period that ends %s is named only while it lasts', (_, inMs, until) => {
    const facts = factsOf({ response: valid, status: subscribed({ end: nowMs + inMs }) });
    expect(decide(facts)).toMatchObject({ kind: 'works', until });
  });

  it('starts at this device’s own change after the validation', () => {
    const facts = factsOf({ response: valid, status: perpetual, ageMs: graceMs, change: activated });
    expect(decide(facts)).toMatchObject({ kind: 'works', worksUntil: instant(nowMs + graceMs) });
  });

  it('does not count as checked in the future if nothing was checked', () => {
    expect(isCheckedInFuture(factsOf({ key: false }), nowMs)).toBe(false);
  });
});

describe('the facts about this device and its license', () => {
  it.each<[string, FactsInput, boolean]>([
    ['a valid key that the server has activated here', { response: valid }, true],
    [
      'a valid key that it has activated elsewhere',
      { response: { ...valid, already_activated_on_device: false } },
      false,
    ],
    ['a key that was refused', { response: { valid: false, error: '', code: 'LICENSE_REVOKED' } }, false],
    ['a key that was not checked', {}, false],
    [
      'a key that was activated here since',
      { response: { valid: false, error: '', code: 'X' }, change: activated },
      true,
    ],
    [
      'a key that was released here since',
      { response: valid, change: { kind: 'released', at: instant(nowMs) } },
      false,
    ],
    ['no key, whatever was checked', { key: false, response: valid, change: activated }, false],
  ])('%s', (_, input, expected) => {
    expect(isActivated(factsOf(input))).toBe(expected);
  });

  const withLicense = (more: Partial<typeof license>) => ({ ...perpetual, license: { ...license, ...more } });
  it.each<[string, FactsInput, { mine: boolean; current: boolean; another: boolean }]>([
    ['of the stored key', { status: perpetual }, { mine: true, current: true, another: false }],
    [
      'of another key',
      { status: withLicense({ key_preview: 'SVC-XXXX...0000' }) },
      { mine: false, current: false, another: true },
    ],
    [
      'that is suspended',
      { status: withLicense({ status: 'inactive' }) },
      { mine: true, current: false, another: false },
    ],
    [
      'of another key that is suspended',
      { status: withLicense({ key_preview: 'X', status: 'inactive' }) },
      { mine: false, current: false, another: false },
    ],
    ['while no key is stored', { key: false, status: perpetual }, { mine: false, current: false, another: true }],
    ['that there is not', { status: free }, { mine: false, current: false, another: false }],
    ['that was never asked for', {}, { mine: false, current: false, another: false }],
    [
      'that agrees with the validation',
      { status: perpetual, response: valid },
      { mine: true, current: true, another: false },
    ],
    [
      'that contradicts the validation in one feature',
      { status: perpetual, response: { ...valid, features: { ...valid.features, csv_export: false } } },
      { mine: true, current: false, another: false },
    ],
    [
      'that the last validation refused',
      { status: perpetual, response: { valid: false, error: '', code: 'LICENSE_REVOKED' } },
      { mine: true, current: true, another: false },
    ],
  ])('classify a status about a license %s', (_, input, { mine, current, another }) => {
    const facts = factsOf(input);
    expect(licenseInStatus(facts)).toEqual(mine ? input.status?.license : null);
    expect(isStatusCurrent(facts)).toBe(current);
    expect(isAnotherLicenseInStatus(facts)).toBe(another);
  });

  it.each([
    ['SVC-AB12-CD34-EF56-GH7X', 'SVC-AB12...GH7X'],
    ['12345678901234567890', '12345678...7890'],
    ['1234567890123456789', '...89'],
    ['ab', '...ab'],
    ['', '...'],
  ])('show the key %s as %s', (key, preview) => {
    expect(maskLicenseKey(key)).toBe(preview);
  });
});

describe('a feature', () => {
  const names = ['csv_export', 'api_access'];
  const works: LicenseState = { kind: 'works', plan: 'standard', until: null, worksUntil: instant(endMs) };
  const decideOne = (
    facts: EntitlementFacts,
    state: LicenseState,
    more: Partial<Parameters<typeof decideFeatures>[2]> = {},
  ) => decideFeatures(facts, state, { names: ['csv_export'], lease: null, arePinned: false, ...more })[0];

  it.each<LicenseState>([
    works,
    { kind: 'offline', plan: 'standard', since: instant(nowMs), worksUntil: instant(endMs) },
  ])('is on with a license that works, and otherwise names the plan that has it: $kind', (state) => {
    const on = factsOf({ key: false, status: perpetual });
    expect(decideOne(on, state)).toEqual({ feature: 'csv_export', on: true });
    const reason = { kind: 'plan', plan: 'standard', availableOn: 'standard' };
    expect(decideOne(factsOf({ key: false }), state)).toEqual({ feature: 'csv_export', on: false, reason });
  });

  it.each<LicenseState>([
    { kind: 'unknown' },
    { kind: 'not-activated' },
    { kind: 'blocked', reason: 'revoked' },
    { kind: 'offline-ended', since: instant(nowMs) },
  ])('is off in the state $kind, which is the reason', (state) => {
    const facts = factsOf({ response: valid, status: perpetual });
    expect(decideOne(facts, state)).toEqual({
      feature: 'csv_export',
      on: false,
      reason: { kind: 'license', license: state },
    });
  });

  it('is off while the client waits for a lease', () => {
    const state = decideOne(factsOf({ response: valid, status: perpetual }), { kind: 'waiting-for-lease' });
    expect(state).toEqual({ feature: 'csv_export', on: false, reason: { kind: 'waiting-for-lease' } });
  });

  const none: LicenseState = { kind: 'no-license' };
  const withExport = { ...free, features: { ...seededPlans.free, csv_export: true } };
  const subscribedOnly = subscribed({ licensed: false });
  it.each<[string, SubscriptionStatusResponse, boolean, unknown]>([
    ['of the free plan is on', withExport, false, undefined],
    [
      'of the free plan is off where every feature requires a lease',
      withExport,
      true,
      { kind: 'license', license: none },
    ],
    ['of a subscription requires a license', subscribedOnly, false, { kind: 'license', license: none }],
    ['that the free plan lacks names it', free, false, { kind: 'plan', plan: 'free', availableOn: 'standard' }],
    [
      'that a subscription lacks names its plan',
      { ...subscribedOnly, features: { ...seededPlans.standard, csv_export: false } },
      false,
      { kind: 'plan', plan: 'standard', availableOn: 'standard' },
    ],
  ])('without a license: one %s', (_, status, arePinned, reason) => {
    const state = decideOne(factsOf({ key: false, status }), none, { arePinned });
    expect(state).toEqual(reason ? { feature: 'csv_export', on: false, reason } : { feature: 'csv_export', on: true });
  });

  it('is decided by the good lease alone', () => {
    const lease = { ...claims, features: { ...seededPlans.free, csv_export: true, custom: true } };
    const facts = factsOf({ response: valid, status: perpetual });
    const on = decideFeatures(facts, works, { names, lease, arePinned: true }).filter((state) => state.on);
    expect(on.map(({ feature }) => feature).sort()).toEqual(['csv_export', 'custom', 'real_time_visualization']);
  });

  it('of a validation is on only while its key is stored and the validation succeeded', () => {
    expect(decideOne(factsOf({ response: valid }), works)).toMatchObject({ on: true });
    expect(decideOne(factsOf({ response: valid, key: false }), works)).toMatchObject({ on: false });
    expect(decideOne(factsOf({ response: { valid: false, error: '', code: 'X' } }), works)).toMatchObject({
      on: false,
    });
  });

  it('is listed once: first the requested ones, then those of the status, the validation and the lease', () => {
    const facts = factsOf({
      response: { ...valid, features: { max_devices: 3, of_validation: true, of_status: true } as never },
      status: { ...perpetual, features: { max_devices: 3, of_status: true, csv_export: true } as never },
    });
    const lease = sampleClaims({ issuedMs: nowMs, endMs }, { max_devices: 3, of_lease: true, csv_export: true });
    const listed = decideFeatures(facts, works, { names, lease, arePinned: false }).map(({ feature }) => feature);
    expect(listed).toEqual(['csv_export', 'api_access', 'of_status', 'of_validation', 'of_lease']);
    expect(namesGranted(facts)).toEqual(['of_status', 'csv_export', 'of_validation']);
    expect(namesGranted(factsOf({ response: { valid: false, error: '', code: 'X' } }))).toEqual([]);
    expect(namesGranted(factsOf({ key: false }))).toEqual([]);
  });

  it('is off while nobody is signed in', () => {
    const reason = { kind: 'signed-out' };
    expect(featuresSignedOut(names)).toEqual(names.map((feature) => ({ feature, on: false, reason })));
  });
});

describe('for every history', () => {
  const status = fc.constantFrom(
    undefined,
    free,
    perpetual,
    subscribed(),
    subscribed({ licensed: false }),
    subscribed({ cancels: true, end: nowMs + dayMs }),
  );
  const reach = fc.constantFrom<Reachability>(online, offline, { kind: 'unknown' });
  const offsetMs = fc.integer({ min: -30 * dayMs, max: 30 * dayMs });

  it('a conclusively invalid license grants nothing, whatever else is stored', () => {
    fc.assert(
      fc.property(status, reach, offsetMs, fc.string(), (cached, reachability, ageMs, code) => {
        const facts = factsOf({ response: { valid: false, error: '', code }, status: cached, ageMs });
        const state = decide(facts, reachability);
        expect(state.kind).toBe('blocked');
        expect(flagsOn(facts, state)).toEqual([]);
      }),
    );
  });

  it('the passing of time alone never grants more', () => {
    fc.assert(
      fc.property(
        status,
        reach,
        fc.integer({ min: 0, max: 40 * dayMs }),
        fc.integer({ min: 0, max: 40 * dayMs }),
        (cached, reachability, ageMs, laterMs) => {
          const facts = factsOf({ response: valid, status: cached, ageMs });
          const now = flagsOn(facts, decide(facts, reachability));
          const later = flagsOn(facts, decide(facts, reachability, nowMs + laterMs));
          expect(now).toEqual(expect.arrayContaining(later));
        },
      ),
    );
  });

  it('being offline never grants more than being online, and within the grace period never less', () => {
    fc.assert(
      fc.property(status, fc.integer({ min: 0, max: 14 * dayMs }), (cached, ageMs) => {
        const facts = factsOf({ response: valid, status: cached, ageMs });
        expect(flagsOn(facts, decide(facts, offline))).toEqual(flagsOn(facts, decide(facts, online)));
      }),
    );
  });

  it('a device without a valid and activated key has no paid features', () => {
    const response = fc.constantFrom<ValidateLicenseResponse | undefined>(
      undefined,
      { ...valid, already_activated_on_device: false },
      { valid: false, error: '', code: 'LICENSE_INACTIVE' },
    );
    fc.assert(
      fc.property(response, status, reach, fc.boolean(), (response, cached, reachability, key) => {
        const facts = factsOf({ response, status: cached, key });
        const paid = flagsOn(facts, decide(facts, reachability)).filter((flag) => !seededPlans.free[flag]);
        expect(paid).toEqual([]);
      }),
    );
  });
});
