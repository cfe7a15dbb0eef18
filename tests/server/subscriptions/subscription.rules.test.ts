/** The status of a subscription at a given time, and which of several subscriptions counts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SubscriptionSnapshot } from '../../../server/account-snapshots/account-snapshot.ts';
import { covers } from '../../../server/plans/plan.rules.ts';
import {
  chooseSubscription,
  givesAccess,
  readSubscriptionStatus,
  sourceOf,
  toSubscription,
  withoutTypedEmails,
} from '../../../server/subscriptions/subscription.rules.ts';
import { featuresOf, subscriptionTo } from '../account-snapshots/snapshots.ts';

const nowMs = 100;
const over = { current_period_end_ms: nowMs };
const typed = { by_typed_email: 1 } as const;

describe('a subscription', () => {
  it.each([
    // As set; within its period: status and access; after its end: status.
    { status: 'trialing', within: 'trialing', access: true, after: 'expired' },
    { status: 'active', within: 'active', access: true, after: 'expired' },
    { status: 'past_due', within: 'past_due', access: true, after: 'expired' },
    { status: 'canceled', within: 'canceled', access: false, after: 'canceled' },
    { status: 'expired', within: 'expired', access: false, after: 'expired' },
  ] as const)(
    'that is $status has the status $within, and $after once its period is over',
    ({ status, within, access, after }) => {
      const subscription = { status, current_period_end_ms: 1000 };
      expect(readSubscriptionStatus(subscription, 999)).toBe(within);
      expect(givesAccess(subscription, 999)).toBe(access);
      expect(readSubscriptionStatus(subscription, 1000)).toBe(after);
      expect(givesAccess(subscription, 1000)).toBe(false);
    },
  );

  it('is described with its current status and both ends of its period', () => {
    const subscription = subscriptionTo('small', { current_period_start_ms: 1000, current_period_end_ms: 60_000 });
    const described = {
      plan: 'small',
      status: 'active',
      current_period_start: '1970-01-01T00:00:01.000Z',
      current_period_end: '1970-01-01T00:01:00.000Z',
      cancel_at_period_end: false,
    };
    expect(toSubscription(subscription, 59_999)).toStrictEqual(described);
    expect(toSubscription({ ...subscription, cancel_at_period_end: 1 }, 60_000)).toStrictEqual({
      ...described,
      status: 'expired',
      cancel_at_period_end: true,
    });
  });
});

describe('a subscription at a billing provider', () => {
  it.each([
    { provider: 'stripe', source: 'stripe' },
    { provider: 'lemonsqueezy', source: 'lemonsqueezy' },
    { provider: 'webhook', source: 'account' },
  ] as const)('through $provider has the source $source', ({ provider, source }) => {
    expect(sourceOf(provider)).toBe(source);
  });
});

describe('of several subscriptions', () => {
  const chosenOf = (subscriptions: readonly SubscriptionSnapshot[]) =>
    chooseSubscription(subscriptions, featuresOf, nowMs)?.id;

  it('none counts if there are none', () => {
    expect(chooseSubscription([], featuresOf, nowMs)).toBeUndefined();
  });

  it.each<{ what: string; chosen: SubscriptionSnapshot; others: readonly SubscriptionSnapshot[] }>([
    { what: 'the only one counts', chosen: subscriptionTo('small', over), others: [] },
    {
      what: 'one that gives access comes before one that does not, whatever its plan',
      chosen: subscriptionTo('free'),
      others: [subscriptionTo('large', over), subscriptionTo('other', { status: 'canceled' })],
    },
    {
      what: 'of those that give no access the one that lasted longer counts, not the one with the better plan',
      chosen: subscriptionTo('free', { current_period_end_ms: 99 }),
      others: [
        subscriptionTo('large', { current_period_end_ms: 98 }),
        subscriptionTo('other', { status: 'canceled', current_period_end_ms: 97 }),
      ],
    },
    {
      what: 'the plan with more devices counts before the one with more features',
      chosen: subscriptionTo('few features'),
      others: [subscriptionTo('many features'), subscriptionTo('small')],
    },
    {
      what: 'with as many devices the plan with more features counts before the one that lasts longer',
      chosen: subscriptionTo('many features', { current_period_end_ms: 200 }),
      others: [subscriptionTo('no features', { current_period_end_ms: 300 })],
    },
    {
      what: 'of two with the same plan the one that lasts longer counts',
      chosen: subscriptionTo('small', { id: 'b', current_period_end_ms: 300 }),
      others: [
        subscriptionTo('small', { id: 'a', current_period_end_ms: 299 }),
        subscriptionTo('small', { id: 'c', current_period_end_ms: 200 }),
      ],
    },
    {
      what: 'of those that are as good the newest one counts',
      chosen: subscriptionTo('small', { id: 'c' }),
      others: [subscriptionTo('small', { id: 'a' }), subscriptionTo('small', { id: 'b' })],
    },
    {
      what: 'one by a typed email that takes a feature away comes last',
      chosen: subscriptionTo('other'),
      others: [subscriptionTo('large', typed)],
    },
    {
      what: 'one by a typed email that takes nothing away counts by its plan',
      chosen: subscriptionTo('large', typed),
      others: [subscriptionTo('small')],
    },
    {
      what: 'one by a typed email has to cover each of the others',
      chosen: subscriptionTo('other'),
      others: [subscriptionTo('small'), subscriptionTo('large', typed)],
    },
    {
      what: 'one by a typed email takes nothing away from one that is over',
      chosen: subscriptionTo('large', typed),
      others: [subscriptionTo('small'), subscriptionTo('other', over)],
    },
    {
      what: 'one by a typed email takes nothing away from another such one',
      chosen: subscriptionTo('large', typed),
      others: [subscriptionTo('small'), subscriptionTo('other', typed)],
    },
  ])('$what', ({ chosen, others }) => {
    expect(chosenOf([chosen, ...others])).toBe(chosen.id);
    expect(chosenOf([...others, chosen])).toBe(chosen.id);
    expect(chosenOf([...others.toReversed(), chosen])).toBe(chosen.id);
  });

  const some = fc.record({
    plan: fc.constantFrom('free', 'small', 'large', 'other'),
    status: fc.constantFrom('active' as const, 'trialing' as const, 'canceled' as const),
    current_period_end_ms: fc.constantFrom(nowMs, nowMs + 1, nowMs + 2),
    by_typed_email: fc.constantFrom(0 as const, 1 as const),
  });
  const anyNumber = fc
    .array(some, { minLength: 1, maxLength: 6 })
    .map((all) => all.map((one, index) => subscriptionTo(one.plan, { ...one, id: String(index) })));
  const shuffled = anyNumber.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );

  it('the same one counts whatever their order', () => {
    fc.assert(
      fc.property(shuffled, ([all, mixed]) => {
        expect(chosenOf(mixed)).toBe(chosenOf(all));
      }),
    );
  });

  it('those by typed emails take nothing away from the one chosen without them', () => {
    fc.assert(
      fc.property(anyNumber, (all) => {
        const chosen = chooseSubscription(all, featuresOf, nowMs);
        const without = chooseSubscription(withoutTypedEmails({ subscriptions: all }).subscriptions, featuresOf, nowMs);
        if (!without || !givesAccess(without, nowMs)) return;
        expect(chosen && givesAccess(chosen, nowMs)).toBe(true);
        expect(covers(featuresOf(chosen?.plan ?? ''), featuresOf(without.plan))).toBe(true);
      }),
    );
  });
});

describe('an account without the subscriptions linked by typed emails', () => {
  it('keeps its other subscriptions, and everything else', () => {
    const own = [subscriptionTo('small'), subscriptionTo('large')] as const;
    const account = { userId: 'ada', subscriptions: [own[0], subscriptionTo('other', typed), own[1]] };
    expect(withoutTypedEmails(account)).toStrictEqual({ userId: 'ada', subscriptions: own });
    expect(account.subscriptions).toHaveLength(3);
  });

  it('is the same object if it has none of those', () => {
    const account = { subscriptions: [subscriptionTo('small')] };
    expect(withoutTypedEmails(account)).toBe(account);
    const empty = { subscriptions: [] };
    expect(withoutTypedEmails(empty)).toBe(empty);
  });
});
