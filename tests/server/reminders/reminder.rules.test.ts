/** Who is reminded before the end of a license, a subscription or a trial. */
import { describe, expect, it } from 'vitest';
import {
  countDaysLeft,
  endsForGood,
  needsLicenseReminder,
  needsSubscriptionReminder,
} from '../../../server/reminders/reminder.rules.ts';
import { day } from '../../harness/fake-clock.ts';
import { featuresOf } from '../account-snapshots/snapshots.ts';

type Subscription = Parameters<typeof needsSubscriptionReminder>[0];
type License = Parameters<typeof needsLicenseReminder>[0];

const nowMs = 100 * day;
const endMs = 110 * day;

/** A canceled paid subscription that gives access until `endMs`. */
function subscription(change: Partial<Subscription> = {}): Subscription {
  return {
    id: 'b',
    source: 'stripe',
    plan: 'small',
    status: 'active',
    current_period_end_ms: endMs,
    cancel_at_period_end: 1,
    ...change,
  };
}
const renewed = { cancel_at_period_end: 0 } as const;
const trial = { status: 'trialing', source: 'account', cancel_at_period_end: 0 } as const;

describe('the days left', () => {
  it.each([
    { leftMs: 2 * day + 1, days: 3 },
    { leftMs: 2 * day, days: 2 },
    { leftMs: day + 1, days: 2 },
    { leftMs: 1, days: 1 },
    { leftMs: 0, days: 0 },
    { leftMs: -5 * day, days: 0 },
  ])('are $days for $leftMs ms', ({ leftMs, days }) => {
    expect(countDaysLeft(nowMs + leftMs, nowMs)).toBe(days);
  });
});

describe('a subscription ends for good', () => {
  it.each<{ what: string; change: Partial<Subscription>; result: boolean }>([
    { what: 'that was canceled', change: {}, result: true },
    { what: 'that renews', change: renewed, result: false },
    { what: 'that renews, by an admin', change: { ...renewed, source: 'account' }, result: false },
    { what: 'that is a trial of this server', change: trial, result: true },
    { what: 'that is a trial at a provider', change: { ...trial, source: 'stripe' }, result: false },
    { what: 'that is a canceled trial at a provider', change: { status: 'trialing' }, result: true },
  ])('$what: $result', ({ change, result }) => {
    expect(endsForGood(subscription(change))).toBe(result);
  });
});

describe('the owner of a license that ends', () => {
  const license = (change: Partial<License> = {}): License => ({
    status: 'active',
    expires_at_ms: endMs,
    with_subscription: 0,
    ...change,
  });
  const following = { with_subscription: 1 } as const;

  it.each<{ what: string; change: Partial<License>; subscriptions: Subscription[]; result: boolean }>([
    { what: 'that depends on no subscription', change: {}, subscriptions: [], result: true },
    { what: 'that is suspended', change: { status: 'inactive' }, subscriptions: [], result: false },
    { what: 'that is revoked', change: { status: 'revoked' }, subscriptions: [], result: false },
    { what: 'that has no end', change: { expires_at_ms: null }, subscriptions: [], result: false },
    {
      what: 'that has no end and needs a subscription',
      change: { ...following, expires_at_ms: null },
      subscriptions: [subscription(renewed)],
      result: false,
    },
    { what: 'whose subscription is missing', change: following, subscriptions: [], result: false },
    { what: 'whose subscription renews', change: following, subscriptions: [subscription(renewed)], result: true },
    {
      what: 'whose subscription renews, of which this period ends before',
      change: following,
      subscriptions: [subscription({ ...renewed, current_period_end_ms: endMs - day })],
      result: true,
    },
    {
      what: 'whose subscription is over, and would renew',
      change: following,
      subscriptions: [subscription({ ...renewed, current_period_end_ms: nowMs })],
      result: false,
    },
    {
      what: 'whose canceled subscription ends at the same time',
      change: following,
      subscriptions: [subscription()],
      result: false,
    },
    {
      what: 'whose canceled subscription ends later',
      change: following,
      subscriptions: [subscription({ current_period_end_ms: endMs + 1 })],
      result: true,
    },
    {
      what: 'of whose two subscriptions one renews',
      change: following,
      subscriptions: [subscription(), subscription({ id: 'c', ...renewed })],
      result: true,
    },
  ])('$what is reminded: $result', ({ change, subscriptions, result }) => {
    expect(needsLicenseReminder(license(change), subscriptions, nowMs)).toBe(result);
  });
});

describe('the owner of a subscription that ends', () => {
  const isReminded = (one: Subscription, ...others: readonly Subscription[]) =>
    needsSubscriptionReminder(one, [one, ...others], { featuresOf, nowMs });

  it.each<{ what: string; one: Partial<Subscription>; other?: Partial<Subscription>; result: boolean }>([
    { what: 'and is the only one', one: {}, result: true },
    { what: 'as a trial', one: trial, result: true },
    { what: 'only to renew', one: renewed, result: false },
    { what: 'and is over', one: { current_period_end_ms: nowMs }, result: false },
    { what: 'beside one that gives as much and renews', one: {}, other: renewed, result: false },
    { what: 'beside one that gives more and renews', one: {}, other: { ...renewed, plan: 'large' }, result: false },
    { what: 'beside one that gives less and renews', one: {}, other: { ...renewed, plan: 'free' }, result: true },
    {
      what: 'beside one that renews and is over',
      one: {},
      other: { ...renewed, current_period_end_ms: nowMs },
      result: true,
    },
    {
      what: 'beside one that renews, of which this period ends before',
      one: {},
      other: { ...renewed, current_period_end_ms: endMs - day },
      result: false,
    },
    { what: 'beside one that ends later', one: {}, other: { current_period_end_ms: endMs + 1 }, result: false },
    { what: 'beside one that ends before', one: {}, other: { current_period_end_ms: endMs - 1 }, result: true },
  ])('$what is reminded: $result', ({ one, other, result }) => {
    const others = other ? [subscription({ id: 'a', ...other })] : [];
    expect(isReminded(subscription(one), ...others)).toBe(result);
  });

  it('is reminded once about two that end at the same time', () => {
    const [a, b] = [subscription({ id: 'a' }), subscription({ id: 'b' })];
    expect([isReminded(a, b), isReminded(b, a)]).toEqual([true, false]);
  });

  it('is reminded about both if each gives something that the other does not', () => {
    const [a, b] = [subscription({ id: 'a', plan: 'large' }), subscription({ id: 'b', plan: 'other' })];
    expect([isReminded(a, b), isReminded(b, a)]).toEqual([true, true]);
  });
});
