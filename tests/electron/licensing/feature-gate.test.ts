/** Commands that require a feature fail in the client itself while that feature is off. */
import { describe, expect, it } from 'vitest';
import type { EntitlementFacts } from '../../../electron/licensing/entitlement.ts';
import { FeatureGate } from '../../../electron/licensing/feature-gate.ts';
import type { LeaseClaims } from '../../../shared/lease.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { createFakeClock } from '../fake-platform.ts';
import { sampleClaims } from './sample-claims.ts';
import { startActivated, startSignedIn, startTestClient } from './start-client.ts';

describe('the feature gate', () => {
  it('fails while nobody is signed in', async () => {
    const { client } = await startTestClient();
    expect(client.feature('csv_export')).toMatchObject({
      ok: false,
      failure: { code: 'FEATURE_OFF', feature: 'csv_export' },
    });
    expect(await client.historyCsv()).toMatchObject({ ok: false, failure: { code: 'FEATURE_OFF' } });
  });

  it('fails while this device is not activated, whatever the plan has', async () => {
    const { client, platform } = await startSignedIn();
    expect(await client.generateApiKey({ replace: false })).toMatchObject({
      ok: false,
      failure: { feature: 'api_access' },
    });
    expect(platform.http.to('/metrics/api-key')).toHaveLength(0);
  });

  it('fails for a feature that the plan lacks', async () => {
    const { client, server } = await startActivated();
    server.features = seededPlans.free;
    await client.syncNow();
    expect(client.feature('real_time_visualization')).toEqual({ ok: true, value: true });
    expect(await client.historyCsv()).toMatchObject({ ok: false, failure: { feature: 'csv_export' } });
  });

  it('succeeds for a feature that the plan has', async () => {
    const { client } = await startActivated();
    const csv = await client.historyCsv();
    expect(csv).toMatchObject({ ok: true, value: expect.stringContaining('Old Laptop') });
  });

  it('fails as soon as the grace period ends, before any notification', async () => {
    const { client, platform } = await startActivated();
    platform.http.cut({ fails: 'unreachable' });
    platform.clock.sleep(8 * 86_400_000);
    expect(client.feature('csv_export').ok).toBe(false);
  });
});

const dayMs = 86_400_000;
const nowMs = Date.parse('2026-03-03T09:00:00.000Z');
const instant = (ms: number) => new Date(ms).toISOString();

const leaseTimes = { issuedMs: nowMs - dayMs, endMs: nowMs + dayMs };
const claims = sampleClaims(leaseTimes, { max_devices: 3, csv_export: true, api_access: false });

type Given = {
  readonly signedIn?: boolean;
  /** Age of the last successful validation; `null` if there was none. */
  readonly checkedMs?: number | null;
  readonly lease?: { claims?: LeaseClaims | null; isGood?: boolean; isNeeded?: boolean; floorMs?: number };
  readonly time?: {
    isUnknown?: boolean;
    isClockAhead?: boolean;
    isClockBehind?: boolean;
    nowMs?: number;
    measuredMs?: number;
  };
  readonly lastAnswerAt?: string | null;
};

function gateOf({ signedIn = true, checkedMs = 0, lease = {}, time = {}, lastAnswerAt = null }: Given = {}) {
  const clock = createFakeClock();
  const at = instant(nowMs - (checkedMs ?? 0));
  const response = { valid: true, plan: 'standard', already_activated_on_device: true, features: { csv_export: true } };
  const facts = {
    licenseKey: checkedMs === null ? null : 'SVC-AB12-CD34-EF56-GH7X',
    localChange: null,
    validation: checkedMs === null ? null : { response, at },
    status: checkedMs === null ? null : { response: { license: null, features: { max_devices: 3 } }, at },
  } as unknown as EntitlementFacts;
  const { isGood = true, isNeeded = false, floorMs = 0 } = lease;
  const inUse = lease.claims ?? null;
  const deps = {
    session: { user: signedIn ? { id: 'ada' } : null },
    store: { facts },
    lease: { claims: inUse, goodClaims: isGood ? inUse : null, isNeeded, floorMs, arePinned: isNeeded },
    trustedTime: {
      isUnknown: false,
      isClockAhead: false,
      isClockBehind: false,
      ...time,
      nowMs: () => time.nowMs ?? nowMs,
      measuredMs: () => time.measuredMs ?? nowMs,
    },
    reachability: { state: { kind: 'unknown' }, lastAnswerAt },
    clock,
    featureTexts: { names: ['csv_export', 'api_access'] },
  };
  return new FeatureGate(deps as never);
}

describe('the license', () => {
  it('is unknown while nobody is signed in, unless a lease is good', () => {
    expect(gateOf({ signedIn: false }).license()).toEqual({ kind: 'unknown' });
    expect(gateOf({ signedIn: false, lease: { claims, isGood: false } }).license()).toEqual({ kind: 'unknown' });
    expect(gateOf({ signedIn: false, lease: { claims } }).license()).toMatchObject({ kind: 'works', plan: 'standard' });
    expect(gateOf().license()).toMatchObject({ kind: 'works' });
  });

  it('does not count as checked recently while the time is unknown', () => {
    expect(gateOf({ time: { isUnknown: true } }).license().kind).toBe('offline-ended');
  });

  it('ends with the floor of its lease, and waits for a lease if one is needed', () => {
    expect(gateOf({ checkedMs: null, lease: { claims, floorMs: claims.exp * 1000 } }).license().kind).toBe(
      'offline-ended',
    );
    expect(gateOf({ lease: { isNeeded: true } }).license().kind).toBe('waiting-for-lease');
  });
});

describe('the clock', () => {
  const future = { checkedMs: -dayMs };
  const weekMs = 7 * dayMs;
  it.each<[string, Given, string]>([
    ['nothing is wrong', {}, 'in-sync'],
    ['the time is not known', { time: { isUnknown: true, isClockAhead: true } }, 'contradictory'],
    ['the time is not known and nobody is signed in', { signedIn: false, time: { isUnknown: true } }, 'in-sync'],
    ['the last answer is from the future', future, 'contradictory'],
    ['the last answer is from the future and only a lease counts', { ...future, lease: { isNeeded: true } }, 'in-sync'],
    ['it is ahead', { time: { isClockAhead: true } }, 'ahead'],
    ['it is behind', { time: { isClockBehind: true } }, 'behind'],
    ['only it says that the week is over', { time: { nowMs: nowMs + weekMs } }, 'maybe-ahead'],
    ['the week is over', { time: { nowMs: nowMs + weekMs, measuredMs: nowMs + weekMs } }, 'in-sync'],
    ['the week is not over', { time: { nowMs: nowMs + weekMs - 1 } }, 'in-sync'],
    [
      'only it says that a lease is over',
      { signedIn: false, checkedMs: null, lease: { claims }, time: { nowMs: nowMs + dayMs } },
      'maybe-ahead',
    ],
    ['only it says so, and nobody is signed in', { signedIn: false, time: { nowMs: nowMs + weekMs } }, 'in-sync'],
  ])('is classified correctly when %s', (_, given, expected) => {
    expect(gateOf(given).clockState()).toBe(expected);
  });
});

describe('a feature', () => {
  const leased = { lease: { claims } };

  it('is on by the plan or by a good lease, which is valid even while nobody is signed in', () => {
    expect(gateOf().check('csv_export')).toEqual({ ok: true, value: true });
    expect(gateOf({ signedIn: false, checkedMs: null, ...leased }).check('csv_export')).toEqual({
      ok: true,
      value: true,
    });
    const withApi = sampleClaims(leaseTimes, { max_devices: 3, csv_export: false, api_access: true });
    const gate = gateOf({ lease: { claims: withApi } });
    expect(gate.features(gate.license()).map(({ on }) => on)).toEqual([false, true]);
  });

  it('is listed as off because nobody is signed in', () => {
    const gate = gateOf({ signedIn: false });
    const reason = { kind: 'signed-out' };
    expect(gate.features(gate.license())).toEqual([
      { feature: 'csv_export', on: false, reason },
      { feature: 'api_access', on: false, reason },
    ]);
  });

  it.each<[string, Given, string, string, string]>([
    ['the plan lacks', {}, 'api_access', 'plan', 'The feature api_access is off.'],
    ['needs somebody to sign in', { signedIn: false }, 'csv_export', 'signed-out', 'The feature csv_export is off.'],
    [
      'waits for a lease',
      { lease: { isNeeded: true } },
      'csv_export',
      'waiting-for-lease',
      'The feature csv_export is off.',
    ],
    ['nobody knows', {}, 'custom', 'unknown-feature', 'Neither the server nor the app knows a feature custom.'],
  ])('that %s fails, and says why', (_, given, feature, reason, message) => {
    const failure = { code: 'FEATURE_OFF', message, at: '2026-03-03T09:00:00.000Z', feature, reason };
    expect(gateOf(given).check(feature)).toEqual({ ok: false, failure });
  });

  it('is explained with every step that was checked', () => {
    const stepOf = (given: Given, check: string) =>
      gateOf(given)
        .why()[0]
        ?.chain.find((step) => step.check === check);
    expect(
      gateOf()
        .why()
        .map(({ feature, on }) => [feature, on]),
    ).toEqual([
      ['csv_export', true],
      ['api_access', false],
    ]);
    expect(stepOf({}, 'session')).toMatchObject({ result: 'pass' });
    expect(stepOf({ signedIn: false }, 'session')).toMatchObject({ result: 'fail' });
    expect(stepOf(leased, 'lease')).toMatchObject({ result: 'pass' });
    expect(stepOf({ lease: { claims, isGood: false } }, 'lease')).toMatchObject({ result: 'fail' });
    expect(stepOf({ lease: { isNeeded: true } }, 'lease')).toMatchObject({ result: 'fail' });
    expect(stepOf({}, 'lease')).toMatchObject({ result: 'unknown' });
    expect(stepOf({ time: { isUnknown: true } }, 'clock')).toMatchObject({ result: 'fail' });
    expect(stepOf({ checkedMs: dayMs }, 'device')).toMatchObject({ at: instant(nowMs - dayMs) });
  });

  it.each([
    ['of this run', instant(nowMs), instant(nowMs)],
    ['that is stored', null, instant(nowMs - dayMs)],
  ])('names the last answer of the server %s', (_, lastAnswerAt, at) => {
    const server = gateOf({ checkedMs: dayMs, lastAnswerAt }).why()[0]?.chain.at(-1);
    expect(server).toMatchObject({ check: 'server', at });
    expect(gateOf({ checkedMs: null }).why()[0]?.chain.at(-1)?.at).toBeNull();
  });
});
