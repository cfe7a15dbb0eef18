/** What the server knows about the customer of a row: of the same provider, and of nobody else. Transport: inject. */
import { expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { day, second } from '../../harness/fake-clock.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { newEmail, signUp, type User } from '../../harness/users.ts';
import { billingSecret } from './billing-events.ts';
import {
  lemonEvents,
  newLemonPurchase,
  newNumber,
  newStripePurchase,
  providerSettings,
  type StripePurchase,
  sendAllToLemon,
  sendAllToStripe,
  stripeEvents,
} from './provider-events.ts';
import { iso, lemonRow, type Row, reconcileList, stripeRow } from './provider-list.ts';

const server = sharedApp({ ...providerSettings, LATCHKEY_BILLING_SECRET: billingSecret });
const nothingFound = { stale: [], pays_without_access: [], access_without_payment: [], differs: [] };

const reconcile = (rows: readonly Row[], { apply = true } = {}) => {
  server.clock.advance(2 * second);
  return reconcileList(server, rows, apply);
};

async function newConfirmed(): Promise<User> {
  const user = await signUp(server);
  await server.database.write((transaction) => server.services.accounts.confirmEmail(transaction, user.id));
  return user;
}

/** Buys at Stripe; returns the purchase and the row that the list then contains. */
async function buy(email: string, { daysAgo = 0, ...fields }: Partial<StripePurchase> & { daysAgo?: number } = {}) {
  const purchase = newStripePurchase(email, fields);
  const [atMs, periodMs] = [server.now(), server.now() - daysAgo * day];
  await sendAllToStripe(server, [stripeEvents(purchase).subscription('created', atMs, periodMs)]);
  return { purchase, row: stripeRow(purchase, periodMs, { as_of: iso(atMs + second) }) };
}

async function allOf({ id }: Pick<User, 'id'>): Promise<string[]> {
  const all = await server.services.subscriptions.listOfAll(server.database.read, [id]);
  return all.map(({ plan, status }) => `${plan} ${status}`).toSorted();
}

it('a subscription of another customer of the account is not what a row is about, whatever plan and end it has', async () => {
  const { email } = await newConfirmed();
  const { row } = await buy(email);
  const other = newStripePurchase(email);
  const later = { plan: 'advanced', current_period_end: iso(server.now() + 90 * day) };
  for (const fields of [{}, later]) {
    expect(await reconcile([{ ...row, ...fields, customer: other.customer }], { apply: false })).toMatchObject({
      differs: [{ customer: other.customer, server: null }],
    });
  }
});

it('a subscription at another provider is not what a row is about, even if the ids of customer and subscription are the same', async () => {
  const { email, id } = await newConfirmed();
  const [customer, subscription] = [newNumber(), newNumber()];
  await buy(email, { customer: String(customer), subscription: String(subscription) });
  const lost = lemonRow(newLemonPurchase(email, { customer, variant: 12 }), server.now());
  for (const named of ['', String(subscription)]) {
    expect(await reconcile([{ ...lost, subscription: named }], { apply: false })).toMatchObject({
      differs: [{ server: null }],
    });
  }
  // A refund at one provider says nothing about the other.
  const purchase = newStripePurchase(email, { customer: String(customer), subscription: String(subscription) });
  await sendAllToStripe(server, [stripeEvents(purchase).refunded(server.now())]);
  const row = { ...lost, subscription: String(subscription), as_of: iso(server.now() + second) };
  expect(await reconcile([row])).toMatchObject({
    pays_without_access: [{ healed: true }],
  });
  expect(await allOf({ id })).toEqual(['advanced active', 'standard canceled']);
});

it('a lost subscription of a known customer goes to the account of that customer, even if it has another email now', async () => {
  const user = await newConfirmed();
  const { purchase } = await buy(user.email);
  await server.database.write((transaction) =>
    server.services.accounts.changeEmail(transaction, { id: user.id, email: newEmail() }, byCommand),
  );
  const lost = newStripePurchase(user.email, { customer: purchase.customer });
  const row = stripeRow(lost, server.now(), { subscription: lost.subscription, plan: 'advanced' });
  expect(await reconcile([row])).toMatchObject({ differs: [{ server: null, healed: true }] });
  expect(await allOf(user)).toEqual(['advanced active', 'standard active']);
  expect(await server.services.accounts.findByEmail(user.email)).toBeUndefined();
});

it('a later list changes what an earlier one added for the same email, if neither names a customer', async () => {
  const user = await newConfirmed();
  const row = { ...stripeRow(newStripePurchase(user.email), server.now()), customer: '' };
  expect(await reconcile([row])).toMatchObject({ pays_without_access: [{ healed: true }] });
  const later = { plan: 'advanced', current_period_end: iso(server.now() + 90 * day), as_of: '' };
  expect(await reconcile([{ ...row, ...later }])).toMatchObject({
    differs: [{ server: { plan: 'standard' }, healed: true }],
  });
  expect(await allOf(user)).toEqual(['advanced active']);
});

it('a row with a customer takes over what an earlier list added for the email only if plan and end are the same', async () => {
  const user = await newConfirmed();
  const row = stripeRow(newStripePurchase(user.email), server.now());
  await reconcile([{ ...row, customer: '' }]);
  const other = { ...row, plan: 'advanced' };
  expect(await reconcile([other], { apply: false })).toMatchObject({ differs: [{ server: null }] });
  expect(await reconcile([row])).toMatchObject({ ...nothingFound, agree: 1 });
});

it('a row that names only the customer is not about the subscription that another row names', async () => {
  const { email } = await newConfirmed();
  const { customer, subscription } = newStripePurchase(email);
  const { row } = await buy(email, { customer, subscription });
  await buy(email, { customer, daysAgo: 10 });
  const other = { ...row, plan: 'advanced', current_period_end: iso(server.now() + 90 * day) };
  const rows = [{ ...row, subscription }, other];
  const end = new Date(Date.parse(row.current_period_end ?? '') - 10 * day).toISOString();
  expect(await reconcile(rows, { apply: false })).toMatchObject({
    agree: 1,
    differs: [{ row: 2, server: { current_period_end: end } }],
  });
});

it('a row that names only the email is not about a subscription of the customer whom another row names', async () => {
  const { email } = await newConfirmed();
  const purchase = newLemonPurchase(email);
  await sendAllToLemon(server, [lemonEvents(purchase).subscription('subscription_created', server.now())]);
  const row = lemonRow(purchase, server.now());
  const later = { plan: 'advanced', current_period_end: iso(server.now() + 90 * day), as_of: '' };
  const byEmail = { ...row, ...later, customer: '' };
  const asNew = { agree: 1, differs: [{ row: 2, server: null }] };
  expect(await reconcile([row, byEmail], { apply: false })).toMatchObject(asNew);

  const named = { ...row, subscription: String(purchase.subscription) };
  const other = { ...row, plan: 'advanced' };
  expect(await reconcile([named, other])).toMatchObject({ agree: 1, differs: [{ row: 2, healed: true }] });
  expect(await reconcile([named, other, byEmail], { apply: false })).toMatchObject({
    agree: 2,
    differs: [{ row: 3, server: null }],
  });
});

it('the customer of an email is found however the buyer has typed it', async () => {
  const [user, typed] = [await newConfirmed(), newEmail()];
  const { token } = (await server.call('checkoutToken', { token: user.token })).body;
  const purchase = newLemonPurchase(` ${typed.toUpperCase()} `, { custom: { token } });
  await sendAllToLemon(server, [lemonEvents(purchase).subscription('subscription_created', server.now())]);
  const row = lemonRow(purchase, server.now(), { customer: '', email: typed });
  expect(await reconcile([row])).toMatchObject({ ...nothingFound, agree: 1 });
});

it('rows of one account of the own system are about one subscription, even if they name several', async () => {
  const email = newEmail();
  const row = { provider: 'webhook', email, plan: 'standard', status: 'active' };
  const ends = [30, 60].map((days) => iso(server.now() + days * day));
  const rows = ends.map((current_period_end, index) => ({ ...row, current_period_end, subscription: `own_${index}` }));
  expect(await reconcile(rows)).toMatchObject({ agree: 1, pays_without_access: [{ row: 2, healed: true }] });
  expect(await reconcile(rows)).toMatchObject({ ...nothingFound, agree: 2 });
});

it('of several rows that may be about one lost subscription, the one with the latest end counts, then the last one', async () => {
  const row = stripeRow(newStripePurchase(newEmail()), server.now());
  const later = { ...row, current_period_end: iso(server.now() + 60 * day) };
  for (const [rows, best] of [
    [[row, later], 2],
    [[later, row], 1],
    [Array.from({ length: 10 }, () => row), 10],
  ] as const) {
    expect(await reconcile(rows, { apply: false })).toMatchObject({
      agree: rows.length - 1,
      pays_without_access: [{ row: best }],
    });
  }
});

it('what staff have replaced gives no access, so a lost subscription is paid for without access', async () => {
  const { email } = await newConfirmed();
  await buy(email);
  await server.admin('subscription', 'set', email, '--plan', 'advanced', '--status', 'canceled');
  const lost = stripeRow(newStripePurchase(email), server.now());
  expect(await reconcile([lost], { apply: false })).toMatchObject({ pays_without_access: [{ row: 1 }] });
});

it('a payment of another subscription of the account makes an older row stale', async () => {
  const { email } = await newConfirmed();
  const { purchase } = await buy(email);
  const lost = stripeRow(newStripePurchase(email), server.now());
  server.clock.advance(day);
  await sendAllToStripe(server, [stripeEvents(purchase).invoicePaid(server.now())]);
  expect(await reconcile([lost], { apply: false })).toMatchObject({ stale: [{ row: 1 }] });
});
