/**
 * Which of several subscriptions counts: the same everywhere, on both databases, and when two events arrive at once.
 */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import type { SubscriptionStatus } from '../../../server/database/tables.ts';
import { chooseSubscription } from '../../../server/subscriptions/subscription.rules.ts';
import type { Features } from '../../../shared/api/features.ts';
import { noFeatures } from '../../../shared/seeded-features.ts';
import { createFakeClock, day } from '../../harness/fake-clock.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { describeEachDatabase, withServices } from '../audit/databases.ts';

const plans: Readonly<Record<string, { readonly max_devices: number; readonly api_access: boolean }>> = {
  small: { max_devices: 1, api_access: false },
  featured: { max_devices: 1, api_access: true },
  large: { max_devices: 5, api_access: false },
};
const featuresOf = (plan: string): Features => ({ ...noFeatures, ...plans[plan] });

const of = (plan: string, status: SubscriptionStatus, current_period_end_ms: number, id = plan) => ({
  id,
  by_typed_email: 0 as 0 | 1,
  plan,
  status,
  current_period_end_ms,
});
const byTypedEmail = (...fields: Parameters<typeof of>) => ({ ...of(...fields), by_typed_email: 1 as const });

describe('of several subscriptions the one counts', () => {
  it.each([
    {
      what: 'that gives access',
      subscriptions: [of('large', 'canceled', 900), of('small', 'active', 200), of('large', 'active', 100, 'over')],
      chosen: 'small',
    },
    {
      what: 'with more devices',
      subscriptions: [of('featured', 'active', 900), of('large', 'past_due', 200)],
      chosen: 'large',
    },
    {
      what: 'with more features',
      subscriptions: [of('small', 'active', 900), of('featured', 'trialing', 200)],
      chosen: 'featured',
    },
    {
      what: 'that lasts longer',
      subscriptions: [
        of('small', 'active', 200, 'a'),
        of('small', 'active', 300, 'b'),
        of('small', 'active', 250, 'c'),
      ],
      chosen: 'b',
    },
    {
      what: 'that is not by a typed email, where that would take a feature away',
      subscriptions: [of('featured', 'active', 200), byTypedEmail('large', 'active', 900)],
      chosen: 'featured',
    },
    {
      what: 'by a typed email that takes nothing away',
      subscriptions: [of('small', 'active', 900), byTypedEmail('large', 'trialing', 200)],
      chosen: 'large',
    },
    {
      what: 'by a typed email, where no other gives access',
      subscriptions: [of('featured', 'expired', 900), byTypedEmail('large', 'active', 200)],
      chosen: 'large',
    },
    {
      what: 'that lasted longest where none gives access',
      subscriptions: [of('small', 'canceled', 60, 'a'), of('large', 'expired', 50, 'b')],
      chosen: 'a',
    },
  ])('$what, whatever their order', ({ subscriptions, chosen }) => {
    expect(chooseSubscription(subscriptions, featuresOf, 100)?.id).toBe(chosen);
    expect(chooseSubscription(subscriptions.toReversed(), featuresOf, 100)?.id).toBe(chosen);
  });

  it('changes once its period is over', () => {
    const subscriptions = [of('large', 'active', 200), of('small', 'active', 300)];
    expect(chooseSubscription(subscriptions, featuresOf, 199)?.id).toBe('large');
    expect(chooseSubscription(subscriptions, featuresOf, 200)?.id).toBe('small');
  });
});

const statuses = ['trialing', 'active', 'past_due', 'canceled', 'expired'] as const;
/** Each source as often as an account has subscriptions there at most. */
const sources = ['account', 'stripe', 'stripe', 'lemonsqueezy', 'lemonsqueezy'] as const;
const secret = 'a signing secret of a store';

describeEachDatabase((database) => {
  it('lists, filters and the status of an account choose the same subscription', async () => {
    const clock = createFakeClock();
    const admin = await database.createAdmin();
    await withServices(
      admin,
      async ({ accounts, accountList, plans: planService, subscriptions }, deps) => {
        for (const [name, { max_devices, api_access }] of Object.entries(plans)) {
          await planService.set(name, { max_devices, features: { api_access } }, byCommand);
        }
        const users: string[] = [];
        for (let index = 0; index < 40; index++) {
          const { id } = await accounts.create({ email: `user-${index}@example.com`, full_name: '' }, byCommand);
          users.push(id);
          await deps.database.write(async (transaction) => {
            for (const [position, source] of sources.entries()) {
              // A different mix for each account: some periods are over, and some end at the same time.
              const draw = (index * 7 + position * 3) % 11;
              if (draw > 7) continue;
              await transaction
                .insertInto('subscriptions')
                .values({
                  id: `${index}-${position}`,
                  user_id: id,
                  source,
                  reference: `${id}-${position}`,
                  event_at_ms: null,
                  is_replaced: draw === 7 ? 1 : 0,
                  by_typed_email: source !== 'account' && (index + position) % 2 === 1 ? 1 : 0,
                  plan: ['small', 'featured', 'large'][(index + position) % 3] ?? 'small',
                  status: statuses[(draw + index) % statuses.length] ?? 'active',
                  current_period_start_ms: clock.now() - 30 * day,
                  current_period_end_ms: clock.now() + (draw - 2) * day,
                  cancel_at_period_end: 0,
                  created_at_ms: clock.now(),
                  updated_at_ms: clock.now(),
                })
                .execute();
            }
          });
        }
        const mixed = await accounts.create({ email: 'mixed@example.com', full_name: '' }, byCommand);
        users.push(mixed.id);
        await deps.database.write(async (transaction) => {
          for (const [plan, by_typed_email, days] of [
            ['featured', 0, 1],
            ['large', 1, 3],
          ] as const) {
            await transaction
              .insertInto('subscriptions')
              .values({
                id: `mixed-${plan}`,
                user_id: mixed.id,
                source: 'stripe',
                reference: `mixed-${plan}`,
                event_at_ms: null,
                is_replaced: 0,
                by_typed_email,
                plan,
                status: 'active',
                current_period_start_ms: clock.now() - 30 * day,
                current_period_end_ms: clock.now() + days * day,
                cancel_at_period_end: 0,
                created_at_ms: clock.now(),
                updated_at_ms: clock.now(),
              })
              .execute();
          }
        });
        for (const days of [0, 2, 2]) {
          clock.advance(days * day);
          const { rows } = await accountList.readPage({}, { limit: 100 });
          const listed = rows.filter(({ id }) => users.includes(id));
          expect(listed).toHaveLength(users.length);
          const found = new Map<string, number>();
          for (const row of listed) {
            const subscription = await subscriptions.get(row.id);
            expect([row.plan, row.status], row.email).toEqual([
              subscription?.plan ?? null,
              subscription?.status ?? null,
            ]);
            const key = `${row.plan} ${row.status}`;
            found.set(key, (found.get(key) ?? 0) + 1);
          }
          expect(found.size, 'many mixes').toBeGreaterThan(5);
          for (const [key, count] of found) {
            const [plan = '', status] = key.split(' ') as [string, SubscriptionStatus];
            const filtered = plan === 'null' ? { status: 'none' as const } : { plan, status };
            expect((await accountList.count(filtered)).count, key).toBe(count);
            expect((await accountList.readPage(filtered, { limit: 100 })).rows, key).toHaveLength(count);
          }
        }
      },
      clock,
    );
  });

  it('concurrent events of several subscriptions and customers are each applied once', async () => {
    // With time limits for a busy machine, as the events wait for each other.
    const { settings } = await database.createAdmin({
      LATCHKEY_LEMONSQUEEZY_WEBHOOK_SECRET: secret,
      LATCHKEY_BILLING_PRICES: '11=standard,12=advanced',
    });
    const { services, clock } = await startTestApp(settings);
    const { accounts, billing, billingEventList, subscriptions } = services;
    const [provider] = billing.providers;
    if (!provider) throw new Error('no billing provider is configured');
    const email = 'ada@example.com';
    const atMs = clock.now();
    const say = (subscription: number, variant: number, status: string, secondsLater: number) => {
      const updated_at = new Date(atMs + secondsLater * 1000).toISOString();
      const renews_at = new Date(atMs + 30 * day).toISOString();
      const attributes = { customer_id: 7, variant_id: variant, user_email: email, status, renews_at, updated_at };
      const data = { type: 'subscriptions', id: String(subscription), attributes };
      const body = JSON.stringify({ meta: { event_name: 'subscription_updated' }, data });
      const eventId = createHmac('sha256', secret).update(body).digest('hex');
      return billing.receive(provider, { body, payload: JSON.parse(body), eventId });
    };
    await Promise.all([
      ...[1, 2, 3].flatMap((id) => [say(id, 11, 'active', 1), say(id, 11, 'active', 1), say(id, 11, 'expired', 2)]),
      say(4, 12, 'active', 1),
      say(4, 12, 'active', 3),
    ]);
    const { rows: events } = await billingEventList.readPage({}, { limit: 100 });
    expect(events.filter(({ state }) => state === 'dead_letter')).toEqual([]);
    expect(events).toHaveLength(8);
    const { id } = await accounts.getByEmail(email);
    expect(await subscriptions.get(id)).toMatchObject({ plan: 'advanced', status: 'active' });
    await say(4, 12, 'expired', 4);
    expect(await subscriptions.get(id)).toMatchObject({ status: 'expired' });
  });
});
