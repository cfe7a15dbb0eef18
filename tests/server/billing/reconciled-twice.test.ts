/**
 * Whatever the server knows and a list contains, a second run of `billing reconcile` changes nothing. Transport:
 * inject.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { day, second } from '../../harness/fake-clock.ts';
import { sharedApp } from '../../harness/start-app.ts';
import type { Json } from '../../harness/test-server.ts';
import { newEmail, signUp } from '../../harness/users.ts';
import {
  lemonEvents,
  newLemonPurchase,
  newNumber,
  newStripePurchase,
  providerSettings,
  sendAllToLemon,
  sendAllToStripe,
  stripeEvents,
} from './provider-events.ts';
import { iso, type Row, reconcileList } from './provider-list.ts';

const server = sharedApp(providerSettings);
const findings = ['pays_without_access', 'access_without_payment', 'differs'];

/** Index of one of two people: one with a confirmed email, and one without an account. */
const person = fc.constantFrom(0, 1);
const purchases = fc.record({
  atStripe: fc.boolean(),
  person,
  hasToken: fc.boolean(),
  isAdvanced: fc.boolean(),
  daysAgo: fc.constantFrom(0, 10, 40),
});
const rows = fc.record({
  /** Index of one of the purchases; if there is none, a different purchase of that person. */
  purchase: fc.nat(3),
  provider: fc.constantFrom('stripe', 'lemonsqueezy'),
  person,
  has: fc.constantFrom('all', 'customer', 'email', 'customer and email', 'subscription'),
  plan: fc.constantFrom('standard', 'advanced'),
  status: fc.constantFrom('active', 'past_due', 'canceled'),
  days: fc.constantFrom(-1, 20, 30, 60),
  asOf: fc.constantFrom('now', 'before', ''),
});

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never;

const bought: ValueOf<typeof purchases> = {
  atStripe: false,
  person: 1,
  hasToken: false,
  isAdvanced: false,
  daysAgo: 0,
};
const over: ValueOf<typeof rows> = {
  purchase: 0,
  provider: 'stripe',
  person: 0,
  has: 'customer and email',
  plan: 'standard',
  status: 'active',
  days: -1,
  asOf: 'now',
};
/**
 * Two purchases of one customer for two accounts, and two rows that may be about either: the change made by one row
 * does not tell which purchase the other is about.
 */
const twoAlike: [ValueOf<typeof purchases>[], ValueOf<typeof rows>[]] = [
  [bought, { ...bought, hasToken: true }],
  [over, over],
];

/**
 * Two purchases of one customer, and two rows that differ in their status only. With the first run, both purchases have
 * the plan and end of both rows, and which of them comes first is up to their ids.
 */
const sameEnd: ValueOf<typeof rows> = { ...over, has: 'email', days: 60, asOf: 'now' };
const twoOfOneEnd: [ValueOf<typeof purchases>[], ValueOf<typeof rows>[]] = [
  [bought, { ...bought, daysAgo: 40 }],
  [sameEnd, { ...sameEnd, status: 'past_due', asOf: '' }],
];
/**
 * Two purchases of one customer, and two rows with another plan and end: which row is about which purchase is unclear,
 * for the second row as for the first.
 */
const otherEnd: ValueOf<typeof rows> = { ...over, person: 1, has: 'customer', plan: 'advanced' };
const twoUnclear: [ValueOf<typeof purchases>[], ValueOf<typeof rows>[]] = [
  [bought, bought],
  [otherEnd, otherEnd],
];

it('a second run changes nothing', async () => {
  const ofPurchases = fc.array(purchases, { maxLength: 3 });
  const ofRows = fc.array(rows, { minLength: 1, maxLength: 5 });
  const property = fc.asyncProperty(ofPurchases, ofRows, async (bought, said) => {
    const startMs = server.now();
    const user = await signUp(server);
    await server.database.write((transaction) => server.services.accounts.confirmEmail(transaction, user.id));
    const { token } = (await server.call('checkoutToken', { token: user.token })).body;
    const people = [user.email, newEmail()].map((email) => ({ email, number: newNumber(), customer: `cus_${email}` }));
    const list: Required<Pick<Row, 'provider' | 'subscription' | 'customer' | 'email'>>[] = [];
    for (const { atStripe, person: index, hasToken, isAdvanced, daysAgo } of bought) {
      const { email, number, customer } = people[index] ?? { email: '', number: 0, customer: '' };
      const periodMs = startMs - daysAgo * day;
      if (atStripe) {
        const purchase = newStripePurchase(email, {
          customer,
          price: isAdvanced ? 'price_advanced' : 'price_standard',
        });
        await sendAllToStripe(server, [stripeEvents(purchase).subscription('created', startMs, periodMs)]);
        list.push({ provider: 'stripe', subscription: purchase.subscription, customer, email });
      } else {
        const fields = { customer: number, variant: isAdvanced ? 12 : 11, custom: hasToken ? { token } : {} };
        const purchase = newLemonPurchase(email, fields);
        await sendAllToLemon(server, [lemonEvents(purchase).subscription('subscription_created', startMs, periodMs)]);
        const subscription = String(purchase.subscription);
        list.push({ provider: 'lemonsqueezy', subscription, customer: String(number), email });
      }
    }
    server.clock.advance(2 * second);
    const file = said.map(({ purchase, provider, person: index, has, plan, status, days, asOf }): Row => {
      const { email, number, customer } = people[index] ?? { email: '', number: 0, customer: '' };
      const other = { provider, subscription: '', customer: provider === 'stripe' ? customer : String(number), email };
      const of = list[purchase] ?? other;
      return {
        provider: of.provider,
        subscription: has === 'all' || has === 'subscription' ? of.subscription : '',
        customer: has === 'all' || has.startsWith('customer') ? of.customer : '',
        email: has !== 'customer' ? of.email : '',
        plan,
        status,
        current_period_end: iso(startMs + days * day),
        as_of: asOf === '' ? '' : iso(asOf === 'now' ? server.now() : startMs - day),
      };
    });
    await reconcileList(server, file);
    const [before, again, after] = [await readAll(), await reconcileList(server, file), await readAll()];
    expect(after).toEqual(before);
    for (const kind of findings) {
      expect((again[kind] as readonly Json[]).filter(({ healed }) => healed)).toEqual([]);
    }
  });
  await fc.assert(property, {
    numRuns: 40,
    examples: [twoAlike, twoUnclear, ...Array.from({ length: 6 }, () => twoOfOneEnd)],
  });
});

const readAll = () => server.database.read.selectFrom('subscriptions').selectAll().orderBy('id').execute();
