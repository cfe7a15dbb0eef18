/** Which license counts on a device, what it gives there, and until when a lease on it may last. */
import { describe, expect, it } from 'vitest';
import type { LicenseSnapshot, SubscriptionSnapshot } from '../../../server/account-snapshots/account-snapshot.ts';
import { type GrantInput, grantsByDevice } from '../../../server/leases/lease-grant.rules.ts';
import { day } from '../../harness/fake-clock.ts';
import { activeOn, licenseFor, planNamed, plansWith, subscriptionTo } from '../account-snapshots/snapshots.ts';

const second = 1000;
const nowMs = 100 * day;
const input: GrantInput = { plans: plansWith(), nowMs, ttlMs: day };
const now = nowMs / second;
const oneDay = day / second;
const typed = { by_typed_email: 1 } as const;

/** Returns the license, the plan and the lease duration of each device. */
function grantsOf(licenses: LicenseSnapshot[], subscriptions: SubscriptionSnapshot[] = [], change = {}) {
  const grants = grantsByDevice({ licenses, subscriptions }, { ...input, ...change });
  const described = [...grants].map(([deviceId, { license, plan, times }]) => [
    deviceId,
    [license.id, plan.name, times.exp - now],
  ]);
  return Object.fromEntries(described);
}

const onDevice = (change: Partial<LicenseSnapshot> = {}, plan = 'small') =>
  licenseFor(plan, { active: [activeOn('A')], ...change });
/** A license that gives what the subscription of its owner gives. */
const following = onDevice({ with_subscription: 1, id: 'following' }, 'free');

describe('a device', () => {
  it('gets the plan of its license, and a lease for as long as the setting says', () => {
    const license = onDevice();
    const grant = grantsByDevice({ licenses: [license], subscriptions: [] }, input).get('A');
    expect(grant).toStrictEqual({
      plan: planNamed('small'),
      times: { iat: now, renew_after: now + oneDay / 2, exp: now + oneDay },
      license,
      activation: activeOn('A'),
    });
  });

  it('gets the newest good license on which it is active', () => {
    const revoked = onDevice({ status: 'revoked' }, 'other');
    const newest = licenseFor('large', { active: [activeOn('A'), activeOn('B')] });
    const oldest = licenseFor('small', { active: [activeOn('B'), activeOn('C')] });
    expect(grantsOf([revoked, newest, oldest, licenseFor('free')])).toEqual({
      A: ['large', 'large', oneDay],
      B: ['large', 'large', oneDay],
      C: ['small', 'small', oneDay],
    });
  });

  it.each([
    { when: 'that is revoked', change: { status: 'revoked' as const } },
    { when: 'that has just ended', change: { expires_at_ms: nowMs } },
    { when: 'that ends within a second', change: { expires_at_ms: nowMs + second - 1 } },
    { when: 'that needs a subscription', change: { with_subscription: 1 as const } },
  ])('gets nothing from a license $when', ({ change }) => {
    expect(grantsOf([onDevice(change)])).toEqual({});
  });

  it('gets a lease until the license ends, if that is earlier', () => {
    expect(grantsOf([onDevice({ expires_at_ms: nowMs + second })])).toEqual({ A: ['small', 'small', 1] });
    expect(grantsOf([onDevice({ expires_at_ms: nowMs + 2 * day })])).toEqual({ A: ['small', 'small', oneDay] });
  });

  it.each([
    { lease_days: null, days: 1 },
    { lease_days: 1, days: 1 },
    { lease_days: 7, days: 7 },
  ])('gets a lease of $days days if its plan says $lease_days', ({ lease_days, days }) => {
    const plans = plansWith(planNamed('small', { lease_days }));
    expect(grantsOf([onDevice()], [], { plans })).toEqual({ A: ['small', 'small', days * oneDay] });
  });

  it('gets nothing from a license whose plan is missing, and the error names the plan', () => {
    expect(() => grantsOf([onDevice({}, 'gone')])).toThrow('There is no plan named "gone".');
  });
});

describe('a license that follows the subscription', () => {
  it('gives the plan of the subscription that counts, until that ends', () => {
    const large = subscriptionTo('large', { current_period_end_ms: nowMs + 5 * second });
    expect(grantsOf([following], [subscriptionTo('small'), large])).toEqual({ A: ['following', 'large', 5] });
  });

  it('gives nothing in the last second of the subscription', () => {
    expect(grantsOf([following], [subscriptionTo('large', { current_period_end_ms: nowMs + second - 1 })])).toEqual({});
  });

  it('is the only kind that does: another gives its own plan, beyond the end of the subscription', () => {
    const large = subscriptionTo('large', { current_period_end_ms: nowMs + 5 * second });
    expect(grantsOf([onDevice()], [large])).toEqual({ A: ['small', 'small', oneDay] });
  });
});

describe('a subscription by a typed email', () => {
  const own = (plan: string, seconds: number) =>
    subscriptionTo(plan, { id: 'own', current_period_end_ms: nowMs + seconds * second });
  const paid = (plan: string, seconds: number) =>
    subscriptionTo(plan, { ...typed, id: 'typed', current_period_end_ms: nowMs + seconds * second });

  it.each([
    { what: 'counts alone', subscriptions: [paid('small', 60)], has: ['small', 60] },
    {
      what: 'counts where it gives more and lasts as long',
      subscriptions: [own('small', 60), paid('large', 60)],
      has: ['large', 60],
    },
    {
      what: 'counts where it gives more and lasts longer',
      subscriptions: [own('small', 60), paid('large', 61)],
      has: ['large', 61],
    },
    {
      what: 'does not count where it ends earlier',
      subscriptions: [own('small', 60), paid('large', 59)],
      has: ['small', 60],
    },
    {
      what: 'does not count where it gives something else',
      subscriptions: [own('other', 60), paid('large', 90)],
      has: ['other', 60],
    },
    {
      what: 'does not count in its last second',
      subscriptions: [own('small', 60), paid('large', 0.5)],
      has: ['small', 60],
    },
  ])('$what', ({ subscriptions, has }) => {
    expect(grantsOf([following], subscriptions)).toEqual({ A: ['following', ...has] });
  });

  it('does not take an older license from a device whose newer license follows it', () => {
    const older = onDevice({ id: 'older' }, 'other');
    expect(grantsOf([following, older], [paid('large', 60)])).toEqual({ A: ['older', 'other', oneDay] });
    expect(grantsOf([following, older], [paid('small', 2 * oneDay)])).toEqual({ A: ['older', 'other', oneDay] });
  });

  it('leaves other devices unchanged', () => {
    const elsewhere = licenseFor('other', { active: [activeOn('B')] });
    expect(grantsOf([following, elsewhere], [own('small', 60), paid('large', 59)])).toEqual({
      A: ['following', 'small', 60],
      B: ['other', 'other', oneDay],
    });
  });
});
