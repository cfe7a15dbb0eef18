/** What saved answers entitle to: the table, and what must hold for every history. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Evidence, graceMs, judgeLicense } from '../../../electron/licensing/entitlement.ts';
import { judgeFeatures } from '../../../electron/licensing/feature-states.ts';
import { seededPlans } from '../../../shared/api/features.ts';
import type { ValidateLicenseResponse, ValidLicense } from '../../../shared/api/license.ts';
import type { SubscriptionStatusResponse } from '../../../shared/api/subscription.ts';
import type { LicenseState, Reachability } from '../../../shared/ipc/app-state.ts';

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

type EvidenceParts = {
  readonly answer?: ValidateLicenseResponse;
  readonly status?: SubscriptionStatusResponse;
  readonly key?: boolean;
  readonly ageMs?: number;
};

function evidence(parts: EvidenceParts): Evidence {
  const at = instant(nowMs - (parts.ageMs ?? 0));
  return {
    licenseKey: parts.key === false ? null : 'SVC-AB12-CD34-EF56-GH7X',
    validation: parts.answer ? { answer: parts.answer, at } : null,
    status: parts.status ? { answer: parts.status, at } : null,
  };
}

const judge = (facts: Evidence, reachability: Reachability = online, atMs = nowMs) =>
  judgeLicense(facts, { nowMs: atMs, reachability });
const flagsOn = (facts: Evidence, state: LicenseState) =>
  judgeFeatures(facts, state).flatMap((flag) => (flag.on ? [flag.feature] : []));

describe('the license state', () => {
  const works = (until: string | null): LicenseState => ({ kind: 'works', plan: 'standard', until });
  it.each<[string, Evidence, Reachability, LicenseState]>([
    ['nothing known', evidence({ key: false }), online, { kind: 'unknown' }],
    ['a key never judged', evidence({ status: subscribed() }), online, { kind: 'unknown' }],
    ['no license anywhere', evidence({ key: false, status: free }), online, { kind: 'no-license' }],
    ['a license, but no key here', evidence({ key: false, status: subscribed() }), online, { kind: 'not-activated' }],
    ...(['revoked', 'expired'] as const).map((status): [string, Evidence, Reachability, LicenseState] => [
      `a license of the account that is ${status}, and no key here`,
      evidence({ key: false, status: { ...perpetual, license: { ...license, status } } }),
      online,
      { kind: 'blocked', reason: status },
    ]),
    [
      'a suspended license of the account, and no key here',
      evidence({ key: false, status: { ...perpetual, license: { ...license, status: 'inactive' } } }),
      online,
      { kind: 'blocked', reason: 'suspended' },
    ],
    [
      'a subscription without a license',
      evidence({ key: false, status: subscribed({ licensed: false }) }),
      online,
      { kind: 'no-license' },
    ],
    [
      'a key released elsewhere',
      evidence({ answer: { ...valid, already_activated_on_device: false }, status: subscribed() }),
      online,
      { kind: 'not-activated' },
    ],
    [
      'a good license with a subscription',
      evidence({ answer: valid, status: subscribed() }),
      online,
      works(instant(nowMs + 20 * dayMs)),
    ],
    ['a perpetual license', evidence({ answer: valid, status: perpetual }), online, works(null)],
    [
      'a perpetual license beside an ended subscription',
      evidence({ answer: valid, status: subscribed({ end: nowMs - dayMs }) }),
      online,
      works(null),
    ],
    ['a good license before the account is known', evidence({ answer: valid }), online, works(null)],
    [
      'offline within the grace',
      evidence({ answer: valid, status: subscribed(), ageMs: dayMs }),
      offline,
      { kind: 'offline', plan: 'standard', since: instant(nowMs - 3_600_000), worksUntil: instant(nowMs + 6 * dayMs) },
    ],
    [
      'offline with a subscription that renews within the grace',
      evidence({ answer: valid, status: subscribed({ end: nowMs + dayMs }), ageMs: dayMs }),
      offline,
      { kind: 'offline', plan: 'standard', since: instant(nowMs - 3_600_000), worksUntil: instant(nowMs + 6 * dayMs) },
    ],
    [
      'offline with a subscription that was canceled for the end of its period',
      evidence({ answer: valid, status: subscribed({ end: nowMs + dayMs, cancels: true }), ageMs: dayMs }),
      offline,
      { kind: 'offline', plan: 'standard', since: instant(nowMs - 3_600_000), worksUntil: instant(nowMs + dayMs) },
    ],
    [
      'offline for longer than the grace',
      evidence({ answer: valid, ageMs: graceMs }),
      offline,
      { kind: 'offline-ended', since: instant(nowMs - 3_600_000) },
    ],
    [
      'not asked for longer than the grace',
      evidence({ answer: valid, ageMs: graceMs }),
      { kind: 'unknown' },
      { kind: 'offline-ended', since: instant(nowMs - graceMs) },
    ],
    [
      'a no',
      evidence({ answer: { valid: false, error: '', code: 'LICENSE_REVOKED' } }),
      online,
      { kind: 'blocked', reason: 'revoked' },
    ],
    [
      'a no, offline',
      evidence({ answer: { valid: false, error: '', code: 'LICENSE_EXPIRED' } }),
      offline,
      { kind: 'blocked', reason: 'expired' },
    ],
  ])('%s', (_, facts, reachability, expected) => {
    expect(judge(facts, reachability)).toEqual(expected);
  });
});

describe('the features', () => {
  it('are those of the account, overridden by the keys that the validation carried', () => {
    const carried = { ...valid.features, csv_export: false, api_access: true };
    const facts = evidence({
      answer: { ...valid, features: carried },
      status: {
        ...subscribed(),
        features: { ...seededPlans.standard, api_access: false },
      } as SubscriptionStatusResponse,
    });
    const on = flagsOn(facts, judge(facts));
    expect(on).toContain('session_recording');
    expect(on).toContain('api_access');
    expect(on).not.toContain('csv_export');
  });

  it('of the free plan are on without a license, the others name the plan that has them', () => {
    const facts = evidence({ key: false, status: free });
    expect(flagsOn(facts, judge(facts))).toEqual(['real_time_visualization']);
    expect(judgeFeatures(facts, judge(facts)).find(({ feature }) => feature === 'csv_export')).toEqual({
      feature: 'csv_export',
      on: false,
      reason: { kind: 'plan', plan: 'free', availableOn: 'standard' },
    });
  });

  it('of a subscription want a license that is activated here', () => {
    const facts = evidence({ key: false, status: subscribed({ licensed: false }) });
    expect(flagsOn(facts, judge(facts))).toEqual([]);
  });

  it('are all off in every state that is not good, with that state as the reason', () => {
    const facts = evidence({ answer: { ...valid, already_activated_on_device: false }, status: subscribed() });
    for (const flag of judgeFeatures(facts, judge(facts))) {
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

  it('a conclusive no gives nothing, whatever is cached besides', () => {
    fc.assert(
      fc.property(status, reach, offsetMs, fc.string(), (cached, reachability, ageMs, code) => {
        const facts = evidence({ answer: { valid: false, error: '', code }, status: cached, ageMs });
        const state = judge(facts, reachability);
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
          const facts = evidence({ answer: valid, status: cached, ageMs });
          const now = flagsOn(facts, judge(facts, reachability));
          const later = flagsOn(facts, judge(facts, reachability, nowMs + laterMs));
          expect(now).toEqual(expect.arrayContaining(later));
        },
      ),
    );
  });

  it('being offline never gives more than being online, and within the grace never less', () => {
    fc.assert(
      fc.property(status, fc.integer({ min: 0, max: 14 * dayMs }), (cached, ageMs) => {
        const facts = evidence({ answer: valid, status: cached, ageMs });
        expect(flagsOn(facts, judge(facts, offline))).toEqual(flagsOn(facts, judge(facts, online)));
      }),
    );
  });

  it('a device without a valid and activated key has nothing of a paid plan', () => {
    const answer = fc.constantFrom<ValidateLicenseResponse | undefined>(
      undefined,
      { ...valid, already_activated_on_device: false },
      { valid: false, error: '', code: 'LICENSE_INACTIVE' },
    );
    fc.assert(
      fc.property(answer, status, reach, fc.boolean(), (verdict, cached, reachability, key) => {
        const facts = evidence({ answer: verdict, status: cached, key });
        const paid = flagsOn(facts, judge(facts, reachability)).filter((flag) => !seededPlans.free[flag]);
        expect(paid).toEqual([]);
      }),
    );
  });
});
