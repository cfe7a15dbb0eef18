/** What stored responses and local changes entitle to: a table, and what holds for every history. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideFeatures,
  decideLicenseState,
  type EntitlementFacts,
  graceMs,
} from '../../../electron/licensing/entitlement.ts';
import type { LocalChange } from '../../../electron/licensing/license-store.ts';
import type { ValidateLicenseResponse, ValidLicense } from '../../../shared/api/license.ts';
import type { SubscriptionStatusResponse } from '../../../shared/api/subscription.ts';
import type { LicenseState, Reachability } from '../../../shared/ipc/app-state.ts';
import { builtInFeatures, seededPlans } from '../../../shared/seeded-features.ts';

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

const valid: ValidLicense = {
  valid: true,
  plan: 'standard',
  status: 'active',
  activations: 1,
  max_activations: 3,
  can_activate: true,
  already_activated_on_device: true,
  features: { ...seededPlans.standard },
};

const license = {
  key_preview: 'SVC-AB12...GH7X',
  plan: 'standard',
  status: 'active',
  activations: 1,
  max_activations: 3,
};

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

  it('of the free plan are on without a license, the others name the plan that has them', () => {
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

  it('a conclusive invalid license gives nothing, whatever else is stored', () => {
    fc.assert(
      fc.property(status, reach, offsetMs, fc.string(), (cached, reachability, ageMs, code) => {
        const facts = factsOf({ response: { valid: false, error: '', code }, status: cached, ageMs });
        const state = decide(facts, reachability);
        expect(state.kind).toBe('blocked');
        expect(flagsOn(facts, state)).toEqual([]);
      }),
    );
  });

  it('time alone never gives more', () => {
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

  it('being offline never gives more than being online, and within the grace never less', () => {
    fc.assert(
      fc.property(status, fc.integer({ min: 0, max: 14 * dayMs }), (cached, ageMs) => {
        const facts = factsOf({ response: valid, status: cached, ageMs });
        expect(flagsOn(facts, decide(facts, offline))).toEqual(flagsOn(facts, decide(facts, online)));
      }),
    );
  });

  it('a device without a valid and activated key has nothing of a paid plan', () => {
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
