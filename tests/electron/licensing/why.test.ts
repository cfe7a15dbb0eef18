/** Why a feature is on or off: each step that is checked, which of them decided, and how much work it takes. */
import { describe, expect, it } from 'vitest';
import { explainFeatures, type WhyInput } from '../../../electron/licensing/why.ts';
import type { ValidateLicenseResponse } from '../../../shared/api/license.ts';
import type { SubscriptionStatusResponse } from '../../../shared/api/subscription.ts';
import type { FeatureState, LicenseState, Reachability } from '../../../shared/ipc/app-state.ts';
import type { DecisionStep } from '../../../shared/ipc/decision.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { sampleClaims } from './sample-claims.ts';
import { licenseSummary as license, validLicense } from './sample-responses.ts';

it('the server’s answers are merged once for all features', () => {
  let copies = 0;
  const said = new Proxy(seededPlans.standard, {
    ownKeys: (features) => {
      copies++;
      return Reflect.ownKeys(features);
    },
  });
  const at = '2026-03-03T09:00:00.000Z';
  const response = { has_subscription: false, subscription: null, license: null, features: said } as const;
  const names = ['csv_export', 'custom_preprocessing', 'unheard_of'];
  const decisions = explainFeatures(
    names.map((feature) => ({ feature, on: true })),
    {
      facts: { licenseKey: null, localChange: null, validation: null, status: { response, at } },
      isSignedIn: true,
      license: { kind: 'unknown' },
      lease: null,
      goodLease: null,
      isLeaseNeeded: false,
      reachability: { kind: 'online' },
      lastAnswerAt: at,
      clock: 'in-sync',
      nowMs: Date.parse(at),
    },
  );
  const results = decisions.map(({ chain }) => chain.find(({ check }) => check === 'plan')?.result);
  expect(results).toEqual(['pass', 'fail', 'unknown']);
  expect(copies).toBe(1);
});

const nowMs = Date.parse('2026-03-03T09:00:00.000Z');
const validatedAt = '2026-03-03T08:00:00.000Z';
const statusAt = '2026-03-03T07:00:00.000Z';
const changedAt = '2026-03-03T06:00:00.000Z';
const answeredAt = '2026-03-03T08:59:00.000Z';
const leasedAt = '2026-03-02T00:00:00.000Z';
const leasedUntil = '2026-03-09T00:00:00.000Z';

const valid = validLicense({ max_devices: 3, csv_export: true });
const refused: ValidateLicenseResponse = { valid: false, error: '', code: 'LICENSE_REVOKED' };
function subscribed(state = 'active', end = '2026-04-01T00:00:00.000Z'): SubscriptionStatusResponse {
  const subscription = {
    plan: 'standard',
    status: state,
    current_period_start: statusAt,
    current_period_end: end,
    cancel_at_period_end: false,
  };
  return { has_subscription: true, subscription, license, features: { max_devices: 3, api_access: true } } as never;
}

const lease = sampleClaims(
  { issuedMs: Date.parse(leasedAt), endMs: Date.parse(leasedUntil) },
  { max_devices: 3, csv_export: true, api_access: false },
);

const offline: Reachability = {
  kind: 'offline',
  since: statusAt,
  nextTryAt: null,
  failure: { code: 'SERVER_UNREACHABLE', message: '', at: statusAt },
};
const works: LicenseState = { kind: 'works', plan: 'standard', until: null, worksUntil: leasedUntil };
const isOn: FeatureState = { feature: 'csv_export', on: true };

type Said = {
  readonly validation?: ValidateLicenseResponse;
  readonly status?: SubscriptionStatusResponse;
  readonly change?: 'activated' | 'released';
  readonly key?: boolean;
};

function inputOf({ validation, status, change, key = true }: Said = {}, more: Partial<WhyInput> = {}): WhyInput {
  const released = { kind: 'released', at: changedAt } as const;
  const activated = { kind: 'activated', activations: 1, maxActivations: 3, at: changedAt } as const;
  return {
    facts: {
      licenseKey: key ? 'SVC-AB12-CD34-EF56-GH7X' : null,
      localChange: change === undefined ? null : change === 'released' ? released : activated,
      validation: validation ? { response: validation, at: validatedAt } : null,
      status: status ? { response: status, at: statusAt } : null,
    },
    isSignedIn: true,
    license: works,
    lease: null,
    goodLease: null,
    isLeaseNeeded: false,
    reachability: { kind: 'online' },
    lastAnswerAt: answeredAt,
    clock: 'in-sync',
    nowMs,
    ...more,
  };
}

function stepOf(check: DecisionStep['check'], input: WhyInput, state: FeatureState = isOn) {
  return explainFeatures([state], input)[0]?.chain.find((step) => step.check === check);
}

describe('the explanation of a feature', () => {
  it('lists each step once in the order of the checks, for each feature in the given order', () => {
    const states: FeatureState[] = [isOn, { feature: 'api_access', on: false, reason: { kind: 'signed-out' } }];
    const decisions = explainFeatures(states, inputOf());
    expect(decisions.map(({ feature, on, reason }) => [feature, on, reason])).toEqual([
      ['csv_export', true, null],
      ['api_access', false, 'signed-out'],
    ]);
    for (const { chain } of decisions) {
      const checks = chain.map(({ check }) => check);
      expect(checks).toEqual(['session', 'device', 'license', 'lease', 'subscription', 'plan', 'clock', 'server']);
    }
  });

  it('names the lease as what turned the feature on, or else the plan', () => {
    const decidedBy = (more: Partial<WhyInput>) => explainFeatures([isOn], inputOf({}, more))[0]?.decided_by;
    expect(decidedBy({})).toBe('plan');
    expect(decidedBy({ lease })).toBe('plan');
    expect(decidedBy({ lease, goodLease: lease })).toBe('lease');
  });

  it.each([
    [{ kind: 'plan', plan: 'free', availableOn: null }, 'plan'],
    [{ kind: 'signed-out' }, 'session'],
    [{ kind: 'waiting-for-lease' }, 'lease'],
  ] as const)('names what turned it off: %o by the %s', (reason, check) => {
    const state: FeatureState = { feature: 'csv_export', on: false, reason };
    const [decision] = explainFeatures([state], inputOf({}, { lease, goodLease: lease }));
    expect(decision).toMatchObject({ on: false, reason: reason.kind, decided_by: check });
  });

  it.each<[LicenseState, string]>([
    [{ kind: 'not-activated' }, 'device'],
    [{ kind: 'waiting-for-lease' }, 'lease'],
    [{ kind: 'offline-ended', since: statusAt }, 'server'],
    [{ kind: 'blocked', reason: 'subscription-ended' }, 'subscription'],
    [{ kind: 'blocked', reason: 'revoked' }, 'license'],
    [{ kind: 'unknown' }, 'license'],
    [{ kind: 'no-license' }, 'license'],
    [works, 'license'],
    [{ kind: 'offline', plan: 'standard', since: statusAt, worksUntil: leasedUntil }, 'license'],
  ])('names which part of the license turned it off: %o by the %s', (state, check) => {
    const off: FeatureState = { feature: 'csv_export', on: false, reason: { kind: 'license', license: state } };
    const [decision] = explainFeatures([off], inputOf({}, { license: state }));
    expect(decision).toMatchObject({ reason: 'license', decided_by: check });
  });
});

describe('the step for', () => {
  const app = { source: 'app', at: null, until: null } as const;
  const fromLease = { source: 'lease', at: leasedAt, until: leasedUntil } as const;
  const good = { lease, goodLease: lease };
  const away = { reachability: offline };

  type Row = [string, DecisionStep['check'], WhyInput, Omit<DecisionStep, 'check'>];
  it.each<Row>([
    ['who is signed in', 'session', inputOf(), { ...app, result: 'pass' }],
    ['nobody who is signed in', 'session', inputOf({}, { isSignedIn: false, lease }), { ...app, result: 'fail' }],
    [
      'nobody who is signed in, where a lease is good',
      'session',
      inputOf({}, { isSignedIn: false, ...good }),
      { ...app, result: 'unknown' },
    ],

    ['a device with a good lease', 'device', inputOf({ change: 'released' }, good), { ...fromLease, result: 'pass' }],
    [
      'a device that was just activated',
      'device',
      inputOf({ validation: refused, change: 'activated' }),
      { source: 'stored', result: 'pass', at: changedAt, until: null },
    ],
    [
      'a device that was just released',
      'device',
      inputOf({ validation: valid, change: 'released' }, { lease }),
      { source: 'stored', result: 'fail', at: changedAt, until: null },
    ],
    ['a device without a key', 'device', inputOf({ validation: valid, key: false }), { ...app, result: 'unknown' }],
    ['a device whose key was not checked', 'device', inputOf(), { ...app, result: 'unknown' }],
    [
      'a device that the server knows',
      'device',
      inputOf({ validation: valid }),
      { source: 'server', result: 'pass', at: validatedAt, until: null },
    ],
    [
      'a device that the server knew',
      'device',
      inputOf({ validation: valid }, away),
      { source: 'stored', result: 'pass', at: validatedAt, until: null },
    ],
    [
      'a device that the server does not know',
      'device',
      inputOf({ validation: refused }),
      { source: 'server', result: 'fail', at: validatedAt, until: null },
    ],

    [
      'a license that is valid',
      'license',
      inputOf({ validation: valid }, good),
      { source: 'server', result: 'pass', at: validatedAt, until: null },
    ],
    [
      'a license that is not',
      'license',
      inputOf({ validation: refused }, away),
      { source: 'stored', result: 'fail', at: validatedAt, until: null },
    ],
    [
      'a license of a lease',
      'license',
      inputOf({ validation: refused, key: false }, good),
      { ...fromLease, result: 'pass' },
    ],
    [
      'a license of a lease where the key was not checked',
      'license',
      inputOf({ status: subscribed() }, good),
      { ...fromLease, result: 'pass' },
    ],
    [
      'a license of the status',
      'license',
      inputOf({ status: subscribed() }, { lease }),
      { source: 'server', result: 'pass', at: statusAt, until: null },
    ],
    [
      'a license of the status that is not active',
      'license',
      inputOf({ status: { ...subscribed(), license: { ...license, status: 'revoked' } } as never }),
      { source: 'server', result: 'fail', at: statusAt, until: null },
    ],
    [
      'a license that there is not',
      'license',
      inputOf({ status: { ...subscribed(), license: null } as never }, away),
      { source: 'stored', result: 'fail', at: statusAt, until: null },
    ],
    ['a license of which nothing is known', 'license', inputOf(), { ...app, result: 'unknown' }],
    [
      'a license of a key that is gone',
      'license',
      inputOf({ validation: valid, key: false }),
      { ...app, result: 'unknown' },
    ],

    ['a lease that is good', 'lease', inputOf({}, good), { ...fromLease, result: 'pass' }],
    ['a lease that has ended', 'lease', inputOf({}, { lease }), { ...fromLease, result: 'fail' }],
    ['a lease that is needed', 'lease', inputOf({}, { isLeaseNeeded: true }), { ...app, result: 'fail' }],
    ['a lease that is not needed', 'lease', inputOf(), { ...app, result: 'unknown' }],

    ['a subscription of which nothing is known', 'subscription', inputOf(), { ...app, result: 'unknown' }],
    [
      'a subscription that there is not',
      'subscription',
      inputOf({ status: { ...subscribed(), has_subscription: false, subscription: null } as never }),
      { ...app, result: 'unknown' },
    ],
    ...(['trialing', 'active', 'past_due', 'canceled', 'unpaid'] as const).map(
      (state): Row => [
        `a subscription that is ${state}`,
        'subscription',
        inputOf({ status: subscribed(state) }),
        {
          source: 'server',
          result: ['canceled', 'unpaid'].includes(state) ? 'fail' : 'pass',
          at: statusAt,
          until: '2026-04-01T00:00:00.000Z',
        },
      ],
    ),
    ...[-1, 0, 1].map((inMs): Row => {
      const until = new Date(nowMs + inMs).toISOString();
      return [
        `a subscription whose period ends in ${inMs} ms`,
        'subscription',
        inputOf({ status: subscribed('active', until) }, away),
        { source: 'stored', result: inMs > 0 ? 'pass' : 'fail', at: statusAt, until },
      ];
    }),

    ['the clock', 'clock', inputOf(), { ...app, result: 'pass' }],
    ['a clock that contradicts itself', 'clock', inputOf({}, { clock: 'contradictory' }), { ...app, result: 'fail' }],
    ['a clock that is ahead', 'clock', inputOf({}, { clock: 'ahead' }), { ...app, result: 'unknown' }],

    [
      'a server that answers',
      'server',
      inputOf(),
      { source: 'server', result: 'pass', at: answeredAt, until: leasedUntil },
    ],
    [
      'a server that does not',
      'server',
      inputOf(
        {},
        { ...away, license: { kind: 'offline', plan: 'standard', since: statusAt, worksUntil: leasedUntil } },
      ),
      { source: 'app', result: 'fail', at: answeredAt, until: leasedUntil },
    ],
    [
      'a server that was not asked',
      'server',
      inputOf({}, { reachability: { kind: 'unknown' }, lastAnswerAt: null, license: { kind: 'unknown' } }),
      { source: 'app', result: 'unknown', at: null, until: null },
    ],
  ])('%s', (_, check, input, expected) => {
    expect(stepOf(check, input)).toEqual({ check, ...expected });
  });
});

describe('the step for the plan', () => {
  const off = (feature: string): FeatureState => ({ feature, on: false, reason: { kind: 'waiting-for-lease' } });
  const said = { validation: valid, status: subscribed() };
  it.each<[string, WhyInput, string, Omit<DecisionStep, 'check'>]>([
    [
      'says what the lease has',
      inputOf(said, { lease, goodLease: lease }),
      'csv_export',
      { source: 'lease', result: 'pass', at: leasedAt, until: leasedUntil },
    ],
    [
      'says what the lease lacks',
      inputOf(said, { lease, goodLease: lease }),
      'api_access',
      { source: 'lease', result: 'fail', at: leasedAt, until: leasedUntil },
    ],
    [
      'leaves a lease that has ended',
      inputOf(said, { lease }),
      'api_access',
      { source: 'server', result: 'pass', at: statusAt, until: null },
    ],
    [
      'says what the validation has',
      inputOf(said),
      'csv_export',
      { source: 'server', result: 'pass', at: validatedAt, until: null },
    ],
    [
      'says what was stored',
      inputOf(said, { reachability: offline }),
      'csv_export',
      { source: 'stored', result: 'pass', at: validatedAt, until: null },
    ],
    [
      'does not know what nobody has named',
      inputOf(said),
      'custom',
      { source: 'app', result: 'unknown', at: null, until: null },
    ],
    [
      'leaves the validation of a key that is gone',
      inputOf({ validation: valid, key: false }),
      'csv_export',
      { source: 'app', result: 'unknown', at: null, until: null },
    ],
    [
      'leaves a validation that was a no',
      inputOf({ validation: refused, status: subscribed() }),
      'api_access',
      { source: 'server', result: 'pass', at: statusAt, until: null },
    ],
    [
      'takes the validation before the status',
      inputOf({ ...said, status: { ...subscribed(), features: { max_devices: 3, csv_export: false } } as never }),
      'csv_export',
      { source: 'server', result: 'pass', at: validatedAt, until: null },
    ],
    [
      'says what is off',
      inputOf({ status: { ...subscribed(), features: { max_devices: 3, csv_export: false } } as never }),
      'csv_export',
      { source: 'server', result: 'fail', at: statusAt, until: null },
    ],
  ])('%s', (_, input, feature, expected) => {
    expect(stepOf('plan', input, off(feature))).toEqual({ check: 'plan', ...expected });
  });
});
