/** What the preview of a change counts: accounts, licenses and devices whose entitlement differs after it. */
import { describe, expect, it } from 'vitest';
import type { LicenseSnapshot, SubscriptionSnapshot } from '../../../server/account-snapshots/account-snapshot.ts';
import type { GrantInput } from '../../../server/leases/lease-grant.rules.ts';
import type { Plan } from '../../../server/plans/plan.service.ts';
import { PolicyComparison } from '../../../server/policy-preview/policy-preview.rules.ts';
import { day } from '../../harness/fake-clock.ts';
import {
  accountWith,
  activeOn,
  featuresWith,
  licenseFor,
  planNamed,
  plansWith,
  subscriptionTo,
} from '../account-snapshots/snapshots.ts';

const nowMs = 100 * day;
const nothing = { would_change: { accounts: 0, licenses: 0, devices: 0 }, lose: {}, gain: {}, over_limit: 0 };

type Has = { readonly licenses?: LicenseSnapshot[]; readonly subscriptions?: SubscriptionSnapshot[] };
type Change = { readonly has?: Has; readonly plans?: readonly Plan[] };

const inputOf = (plans: readonly Plan[] = []): GrantInput => ({ plans: plansWith(...plans), nowMs, ttlMs: day });
const stateOf = ({ has = {}, plans }: Change) => ({ account: accountWith(has), input: inputOf(plans) });

/** Returns the preview for one account that has `has`, with the change applied. */
function previewOf(has: Has, { has: afterwards = has, ...change }: Change) {
  const comparison = new PolicyComparison();
  comparison.addAccount(stateOf({ has }), stateOf({ has: afterwards, ...change }));
  return comparison.result();
}
const small = licenseFor('small', { active: [activeOn('A'), activeOn('B')] });
const unused = licenseFor('small');
const changed = (accounts: number, licenses: number, devices: number) => ({ accounts, licenses, devices });

describe('a change of a plan', () => {
  it('that changes nothing counts nothing', () => {
    expect(previewOf({ licenses: [small], subscriptions: [subscriptionTo('large')] }, {})).toStrictEqual(nothing);
    expect(previewOf({}, {})).toStrictEqual(nothing);
  });

  it('that no account has counts nothing', () => {
    const plans = [planNamed('large', { features: featuresWith(1), max_devices: 1 })];
    expect(previewOf({ licenses: [small] }, { plans })).toStrictEqual(nothing);
  });

  it('that removes a feature and adds another counts both for each device', () => {
    const plans = [planNamed('small', { features: featuresWith(2, 'api_access', 'session_recording') })];
    expect(previewOf({ licenses: [small] }, { plans })).toStrictEqual({
      would_change: changed(1, 1, 2),
      lose: { csv_export: 2 },
      gain: { api_access: 2, session_recording: 2 },
      over_limit: 0,
    });
  });

  it('that sets a feature that was already off counts nothing', () => {
    const features = { ...featuresWith(2, 'csv_export'), pdf_reports: false };
    expect(previewOf({ licenses: [small] }, { plans: [planNamed('small', { features })] })).toStrictEqual(nothing);
  });

  it('that makes leases shorter counts licenses and devices, but no feature', () => {
    const shorter = previewOf({ licenses: [small] }, { plans: [planNamed('small', { lease_days: 2 })] });
    expect(shorter).toStrictEqual({ ...nothing, would_change: changed(1, 1, 2) });
  });

  it('that allows fewer new devices counts licenses, but no device', () => {
    const fewer = previewOf({ licenses: [small] }, { plans: [planNamed('small', { new_devices_per_month: 9 })] });
    expect(fewer).toStrictEqual({ ...nothing, would_change: changed(1, 1, 0) });
  });

  it('counts an unused license', () => {
    const plans = [planNamed('small', { features: featuresWith(2) })];
    expect(previewOf({ licenses: [unused] }, { plans })).toStrictEqual({
      ...nothing,
      would_change: changed(1, 1, 0),
    });
  });

  it('counts no license that cannot be used anyway', () => {
    const plans = [planNamed('small', { features: featuresWith(2) })];
    const revoked = licenseFor('small', { status: 'revoked', active: [activeOn('A')] });
    expect(previewOf({ licenses: [revoked] }, { plans })).toStrictEqual(nothing);
  });

  it('counts an account that has the plan only through its subscription', () => {
    const plans = [planNamed('small', { features: featuresWith(2) })];
    expect(previewOf({ subscriptions: [subscriptionTo('small')] }, { plans })).toStrictEqual({
      ...nothing,
      would_change: changed(1, 0, 0),
    });
  });

  it('counts the devices of a license that follows the subscription by the plan of the subscription', () => {
    const following = licenseFor('free', { with_subscription: 1, active: [activeOn('A')] });
    const plans = [planNamed('small', { features: featuresWith(2) })];
    expect(previewOf({ licenses: [following], subscriptions: [subscriptionTo('small')] }, { plans })).toStrictEqual({
      ...nothing,
      would_change: changed(1, 1, 1),
      lose: { csv_export: 1 },
    });
  });
});

describe('a license of a plan that does not exist', () => {
  it('is compared by what its subscription gives', () => {
    const following = licenseFor('gone', { with_subscription: 1, active: [activeOn('A')] });
    const has = { licenses: [following], subscriptions: [subscriptionTo('small')] };
    expect(previewOf(has, {})).toStrictEqual(nothing);
    const plans = [planNamed('small', { features: featuresWith(2) })];
    expect(previewOf(has, { plans }).would_change).toEqual(changed(1, 1, 1));
  });
});

describe('another device limit', () => {
  const withLimit = (max_devices: number) => [
    planNamed('small', { max_devices, features: featuresWith(max_devices, 'csv_export') }),
  ];

  it.each([
    { limit: 3, over: 0, changes: changed(1, 1, 2) },
    { limit: 2, over: 0, changes: changed(0, 0, 0) },
    { limit: 1, over: 1, changes: changed(1, 1, 2) },
    { limit: 0, over: 1, changes: changed(1, 1, 2) },
  ])('of $limit, for a license with two devices, counts $over licenses over it', ({ limit, over, changes }) => {
    expect(previewOf({ licenses: [small] }, { plans: withLimit(limit) })).toStrictEqual({
      ...nothing,
      would_change: changes,
      over_limit: over,
    });
  });

  it('counts no license that already exceeds an unchanged limit', () => {
    const full = licenseFor('small', { active: [activeOn('A'), activeOn('B'), activeOn('C')] });
    expect(previewOf({ licenses: [full] }, {}).over_limit).toBe(0);
    expect(previewOf({ licenses: [full] }, { plans: [planNamed('small', { lease_days: 2 })] }).over_limit).toBe(0);
    expect(previewOf({ licenses: [full, small] }, { plans: withLimit(1) }).over_limit).toBe(2);
  });

  it('counts no license that has exactly as many devices as the limit', () => {
    const three = licenseFor('large', { active: [activeOn('A'), activeOn('B'), activeOn('C')] });
    const large = (max_devices: number) => ({ plans: [planNamed('large', { max_devices })] });
    expect(previewOf({ licenses: [three] }, large(3)).over_limit).toBe(0);
    expect(previewOf({ licenses: [three] }, large(2)).over_limit).toBe(1);
  });

  it('of a newly added plan counts a license that already had that plan', () => {
    const early = licenseFor('new', { status: 'revoked', active: [activeOn('A'), activeOn('B')] });
    expect(previewOf({ licenses: [early] }, { plans: [planNamed('new', { max_devices: 1 })] }).over_limit).toBe(1);
  });

  it('counts no license of another plan, nor one of a plan that does not exist', () => {
    const other = licenseFor('large', { active: [activeOn('A'), activeOn('B')] });
    const gone = licenseFor('gone', { status: 'revoked', active: [activeOn('A')] });
    expect(previewOf({ licenses: [other, gone] }, { plans: withLimit(1) }).over_limit).toBe(0);
  });
});

describe('a change of a license or a subscription', () => {
  it('counts a license that becomes revoked, and what its devices lose', () => {
    const revoked = { ...small, status: 'revoked' as const };
    expect(previewOf({ licenses: [small] }, { has: { licenses: [revoked] } })).toStrictEqual({
      ...nothing,
      would_change: changed(1, 1, 2),
      lose: { csv_export: 2 },
    });
    expect(previewOf({ licenses: [revoked] }, { has: { licenses: [small] } })).toStrictEqual({
      ...nothing,
      would_change: changed(1, 1, 2),
      gain: { csv_export: 2 },
    });
  });

  it('counts a license that becomes unusable for another reason, but no device', () => {
    const [revoked, inactive] = [
      licenseFor('small', { status: 'revoked' }),
      licenseFor('small', { status: 'inactive' }),
    ];
    expect(previewOf({ licenses: [revoked] }, { has: { licenses: [inactive] } })).toStrictEqual({
      ...nothing,
      would_change: changed(1, 1, 0),
    });
  });

  it('counts only the license that changes among several', () => {
    const revoked = licenseFor('large', { status: 'revoked' });
    const licenses = [small, licenseFor('large')];
    expect(previewOf({ licenses }, { has: { licenses: [small, revoked] } }).would_change).toEqual(changed(1, 1, 0));
  });

  it('counts the license but not a device that gets the same from another license', () => {
    const newer = licenseFor('small', { id: 'newer', active: [activeOn('A')] });
    const older = licenseFor('small', { id: 'older', active: [activeOn('A')] });
    const revoked = { ...newer, status: 'revoked' as const };
    const has = { licenses: [newer, older] };
    expect(previewOf(has, { has: { licenses: [revoked, older] } })).toStrictEqual({
      ...nothing,
      would_change: changed(1, 1, 0),
    });
  });

  it('counts an account whose subscription changes, but no license that is independent of it', () => {
    const before = { subscriptions: [subscriptionTo('small')], licenses: [small] };
    const after = { ...before, subscriptions: [subscriptionTo('large')] };
    expect(previewOf(before, { has: after })).toStrictEqual({ ...nothing, would_change: changed(1, 0, 0) });
  });

  it('counts a device that gets the same features from another plan', () => {
    const following = licenseFor('free', { with_subscription: 1, active: [activeOn('A')] });
    const plans = [planNamed('twin', { features: featuresWith(2, 'csv_export') })];
    const comparison = new PolicyComparison();
    const state = (plan: string) =>
      stateOf({ plans, has: { licenses: [following], subscriptions: [subscriptionTo(plan)] } });
    comparison.addAccount(state('small'), state('twin'));
    expect(comparison.result()).toStrictEqual({ ...nothing, would_change: changed(1, 1, 1) });
  });
});

describe('the preview', () => {
  const plans = [planNamed('small', { features: featuresWith(2) })];

  it('adds up accounts, and counts licenses without an owner under no account', () => {
    const comparison = new PolicyComparison();
    const has = { licenses: [small] };
    comparison.addAccount(stateOf({ has }), stateOf({ has, plans }));
    comparison.addAccount(stateOf({}), stateOf({ plans }));
    comparison.addAccount(stateOf({ has }), stateOf({ has, plans }));
    comparison.addUnclaimed(stateOf({ has }), stateOf({ has, plans }));
    expect(comparison.result()).toStrictEqual({
      ...nothing,
      would_change: changed(2, 3, 6),
      lose: { csv_export: 6 },
    });
  });

  it('does not change when more is added after it was read', () => {
    const comparison = new PolicyComparison();
    const result = comparison.result();
    comparison.addUnclaimed(stateOf({ has: { licenses: [small] } }), stateOf({ has: { licenses: [small] }, plans }));
    expect(result).toStrictEqual(nothing);
  });
});
