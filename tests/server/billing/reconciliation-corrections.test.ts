/** What `billing reconcile --apply` changes, and whom it believes. Transport: inject. */
import { expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { day, second } from '../../harness/fake-clock.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { newEmail, signUp, type User } from '../../harness/users.ts';
import { billingSecret } from './billing-events.ts';
import {
  lemonEvents,
  newLemonPurchase,
  newStripePurchase,
  providerSettings,
  type StripePurchase,
  sendAllToLemon,
  sendAllToStripe,
  stripeEvents,
} from './provider-events.ts';
import { iso, lemonRow, type Row, reconcileList, stripeRow, wholeSeconds } from './provider-list.ts';

const server = sharedApp({ ...providerSettings, LATCHKEY_BILLING_SECRET: billingSecret });
const unclear = { healed: false, reason: expect.stringContaining('column "subscription"') };

const reconcile = (...rows: readonly Row[]) => {
  server.clock.advance(2 * second);
  return reconcileList(server, rows);
};

async function newConfirmed(): Promise<User> {
  const user = await signUp(server);
  await server.database.write((transaction) => server.services.accounts.confirmEmail(transaction, user.id));
  return user;
}

const tokenOf = async (user: User) => (await server.call('checkoutToken', { token: user.token })).body.token;

/** Buys at Stripe; returns the purchase, its events and the row that the list then contains. */
async function buy(email: string, fields: Partial<StripePurchase> = {}) {
  const purchase = newStripePurchase(email, fields);
  const events = stripeEvents(purchase);
  await sendAllToStripe(server, [events.subscription('created', server.now())]);
  return { purchase, events, row: stripeRow(purchase, server.now()) };
}

/** Buys at Lemon Squeezy with a token of the account; returns the purchase and the row that the list then contains. */
async function buyWithToken(user: User, typed: string, { customer }: { customer?: number } = {}) {
  const custom = { token: await tokenOf(user) };
  const purchase = newLemonPurchase(typed, { custom, ...(customer !== undefined && { customer }) });
  const atMs = server.now();
  await sendAllToLemon(server, [lemonEvents(purchase).subscription('subscription_created', atMs)]);
  return { purchase, row: lemonRow(purchase, atMs) };
}

const rowsOf = (userId: string) =>
  server.database.read.selectFrom('subscriptions').selectAll().where('user_id', '=', userId).execute();
const customerOf = (customerId: string | number) =>
  server.database.read
    .selectFrom('billing_customers')
    .select('user_id')
    .where('customer_id', '=', String(customerId))
    .executeTakeFirst();
const atProvider = (reference: string) =>
  server.database.read
    .selectFrom('provider_subscriptions')
    .selectAll()
    .where('reference', '=', reference)
    .executeTakeFirst();
const later = () => ({ plan: 'advanced', current_period_end: iso(server.now() + 90 * day) });

it('a row of an unknown customer without an email changes nothing, and says why', async () => {
  const { customer, subscription } = newStripePurchase('');
  const row = stripeRow(newStripePurchase('', { customer, subscription }), server.now(), { subscription });
  expect(await reconcile(row)).toMatchObject({
    pays_without_access: [{ healed: false, reason: expect.stringContaining('no email to create it with') }],
  });
});

it('a row of a known customer needs no email', async () => {
  const { email, id } = await newConfirmed();
  const { row } = await buy(email);
  expect(await reconcile({ ...row, email: '', ...later() })).toMatchObject({ differs: [{ healed: true }] });
  expect(await rowsOf(id)).toMatchObject([{ plan: 'advanced' }]);
});

it("a row of the operator's own system sets the subscription of the account, and nothing of a provider", async () => {
  const { email, id } = await newConfirmed();
  const own = { provider: 'webhook', customer: 'own-1', email, status: 'active', ...later() };
  expect(await reconcile(own)).toMatchObject({ pays_without_access: [{ healed: true }] });
  expect(await rowsOf(id)).toMatchObject([{ source: 'account', reference: id, by_typed_email: 0, plan: 'advanced' }]);
  expect(await atProvider(id)).toBeUndefined();
  expect(await customerOf('own-1')).toBeUndefined();
});

it("a row of the operator's own system is believed though the account has not confirmed its email", async () => {
  const { email, id } = await signUp(server);
  const own = { provider: 'webhook', customer: '', email, status: 'active', ...later() };
  expect(await reconcile(own)).toMatchObject({ pays_without_access: [{ healed: true }] });
  expect(await rowsOf(id)).toMatchObject([{ source: 'account', plan: 'advanced' }]);
});

it('an ended subscription keeps its plan and period if the list states neither', async () => {
  const { email, id } = await newConfirmed();
  const { row } = await buy(email);
  const [before] = await rowsOf(id);
  const ended = { ...row, subscription: before?.reference ?? '', status: 'canceled', plan: '', current_period_end: '' };
  expect(await reconcile(ended)).toMatchObject({ access_without_payment: [{ healed: true }] });
  const { plan, current_period_start_ms, current_period_end_ms } = before ?? {};
  expect(await rowsOf(id)).toMatchObject([
    { status: 'canceled', plan, current_period_start_ms, current_period_end_ms },
  ]);
});

it('an ended subscription gets the plan and the end that the list states, and its period never ends before it starts', async () => {
  const { email, id } = await newConfirmed();
  const { row, purchase } = await buy(email);
  const endMs = wholeSeconds(server.now()) - day;
  const ended = { ...row, subscription: purchase.subscription, status: 'canceled' };
  expect(await reconcile({ ...ended, plan: 'advanced', current_period_end: iso(endMs) })).toMatchObject({
    access_without_payment: [{ healed: true }],
  });
  expect(await rowsOf(id)).toMatchObject([
    { plan: 'advanced', current_period_start_ms: endMs, current_period_end_ms: endMs },
  ]);
});

it('a renewed subscription gets a new period, and keeps its exact one if the list has the same end as a date', async () => {
  const { email, id } = await newConfirmed();
  const { row, purchase } = await buy(email);
  const { subscription } = purchase;
  const [before] = await rowsOf(id);
  const { current_period_start_ms, current_period_end_ms } = before ?? {};
  const byDate = {
    ...row,
    subscription,
    plan: 'advanced',
    current_period_end: row.current_period_end?.slice(0, 10) ?? '',
  };
  expect(await reconcile(byDate)).toMatchObject({ differs: [{ healed: true }] });
  expect(await rowsOf(id)).toMatchObject([{ plan: 'advanced', current_period_start_ms, current_period_end_ms }]);

  server.clock.advance(day);
  const renewed = { ...row, subscription, ...later(), as_of: '' };
  expect(await reconcile(renewed)).toMatchObject({ differs: [{ healed: true }] });
  expect(await rowsOf(id)).toMatchObject([
    { current_period_start_ms: server.now(), current_period_end_ms: Date.parse(renewed.current_period_end) },
  ]);
});

it('whether a subscription ends with its period stays as the provider last said', async () => {
  const { email, id } = await newConfirmed();
  const { purchase, events } = await buy(email);
  const { subscription } = purchase;
  const correct = async () => {
    const row = stripeRow(purchase, server.now(), { subscription, ...later() });
    expect(await reconcile(row)).toMatchObject({ differs: [{ healed: true }] });
  };
  await correct();
  expect(await rowsOf(id)).toMatchObject([{ cancel_at_period_end: 0 }]);
  server.clock.advance(10 * second);
  const update = events.subscription('updated', server.now());
  const canceled = { ...update.data.object, cancel_at_period_end: true };
  await sendAllToStripe(server, [{ ...update, data: { object: canceled } }]);
  await correct();
  expect(await rowsOf(id)).toMatchObject([{ cancel_at_period_end: 1 }]);
});

it('only the email ties what a list adds to its account; what certainly belongs to an account still does afterwards', async () => {
  const lost = newStripePurchase(newEmail());
  await reconcile(stripeRow(lost, server.now()));
  const { id } = await server.services.accounts.getByEmail(lost.email);
  expect(await rowsOf(id)).toMatchObject([{ by_typed_email: 1 }]);

  const user = await newConfirmed();
  const { row } = await buyWithToken(user, user.email);
  expect(await rowsOf(user.id)).toMatchObject([{ by_typed_email: 0 }]);
  expect(await reconcile({ ...row, status: 'past_due' })).toMatchObject({ differs: [{ healed: true }] });
  expect(await rowsOf(user.id)).toMatchObject([{ by_typed_email: 0, status: 'past_due' }]);
});

it('a customer that pays is bound to the account that the email leads to, if its owner has confirmed it', async () => {
  const [confirmed, created] = [await newConfirmed(), newEmail()];
  const [one, other, ended] = [
    newLemonPurchase(confirmed.email),
    newLemonPurchase(created),
    newLemonPurchase(confirmed.email),
  ];
  await reconcile(lemonRow(one, server.now()), lemonRow(other, server.now()));
  expect(await customerOf(one.customer)).toEqual({ user_id: confirmed.id });
  expect(await customerOf(other.customer)).toBeUndefined();

  const lostEnd = lemonRow(ended, server.now(), { status: 'expired' });
  await reconcile(lostEnd);
  expect(await customerOf(ended.customer)).toBeUndefined();
});

it('a customer of a known subscription is bound without an email only at Stripe, whose ids nobody else can have', async () => {
  const [user, other] = [await newConfirmed(), await newConfirmed()];
  const stripe = newStripePurchase(user.email);
  const named = stripeRow(stripe, server.now(), { subscription: stripe.subscription });
  await reconcile({ ...named, customer: '' });
  expect(await reconcile({ ...named, email: '', ...later() })).toMatchObject({ differs: [{ healed: true }] });
  expect(await customerOf(stripe.customer)).toEqual({ user_id: user.id });

  const { purchase, row } = await buyWithToken(other, newEmail());
  const { customer } = newLemonPurchase('');
  const ofUnknown = { ...row, subscription: String(purchase.subscription), customer: String(customer), email: '' };
  expect(await reconcile({ ...ofUnknown, ...later() })).toMatchObject({ differs: [{ healed: true }] });
  expect(await customerOf(customer)).toBeUndefined();
});

it('ending a subscription binds no customer', async () => {
  const user = await newConfirmed();
  const lost = newStripePurchase(user.email);
  const row = stripeRow(lost, server.now(), { subscription: lost.subscription, customer: '' });
  await reconcile(row);
  const { customer } = lost;
  expect(await reconcile({ ...row, customer, status: 'canceled' })).toMatchObject({
    access_without_payment: [{ healed: true }],
  });
  expect(await customerOf(customer)).toBeUndefined();
});

it('a refund that the provider sends again does not end what the list shows to be paid again', async () => {
  const { email, id } = await newConfirmed();
  const { purchase, events, row } = await buy(email);
  server.clock.advance(10 * second);
  const refundedMs = wholeSeconds(server.now());
  await sendAllToStripe(server, [events.refunded(refundedMs)]);
  const paid = { ...row, ...later(), as_of: iso(refundedMs) };
  expect(await reconcile(paid)).toMatchObject({ pays_without_access: [{ healed: true }] });
  expect(await atProvider(purchase.subscription)).toMatchObject({ paid_at_ms: refundedMs + 1 });
  await sendAllToStripe(server, [events.refunded(refundedMs)]);
  expect(await rowsOf(id)).toMatchObject([{ status: 'active' }]);
});

it('a list does not claim a payment of what was not refunded, or has ended', async () => {
  const { email } = await newConfirmed();
  const { purchase, row } = await buy(email);
  const { subscription } = purchase;
  expect(await reconcile({ ...row, subscription, ...later() })).toMatchObject({ differs: [{ healed: true }] });
  expect(await atProvider(subscription)).toMatchObject({ paid_at_ms: null });

  const other = await newConfirmed();
  const { purchase: refunded, events: eventsOf } = await buy(other.email);
  await sendAllToStripe(server, [eventsOf.refunded(server.now())]);
  await server.database.write((transaction) =>
    transaction
      .updateTable('subscriptions')
      .set({ status: 'active' })
      .where('reference', '=', refunded.subscription)
      .execute(),
  );
  server.clock.advance(5 * second);
  const ended = stripeRow(refunded, server.now(), { subscription: refunded.subscription, status: 'canceled' });
  expect(await reconcile(ended)).toMatchObject({ access_without_payment: [{ healed: true }] });
  expect(await atProvider(refunded.subscription)).toMatchObject({ paid_at_ms: null });
});

it.each([
  { what: 'a trial stays', settings: ['--status', 'trialing'], isReplaced: 0 },
  { what: 'what has ended stays as it is', settings: ['--status', 'canceled'], isReplaced: 0 },
  { what: 'what gives access is replaced', settings: [], isReplaced: 1 },
])('of what staff set in place of a subscription that a list restores, $what', async ({ settings, isReplaced }) => {
  const { email, id } = await newConfirmed();
  const { purchase, row } = await buy(email);
  await server.admin('subscription', 'set', email, '--plan', 'advanced', ...settings);
  server.clock.advance(2 * second);
  await reconcile({ ...row, subscription: purchase.subscription, as_of: iso(server.now()) });
  const own = (await rowsOf(id)).find(({ source }) => source === 'account');
  expect(own).toMatchObject({ is_replaced: isReplaced });
});

it('a bound customer is believed though the account has not confirmed its email', async () => {
  const user = await signUp(server);
  const { customer } = newStripePurchase('');
  await server.database.write((transaction) =>
    transaction
      .insertInto('billing_customers')
      .values({ provider: 'stripe', customer_id: customer, user_id: user.id, email: null, email_at_ms: null })
      .execute(),
  );
  const lost = newStripePurchase(newEmail(), { customer });
  const row = stripeRow(lost, server.now(), { subscription: lost.subscription });
  expect(await reconcile(row)).toMatchObject({ pays_without_access: [{ healed: true }] });
  expect(await rowsOf(user.id)).toMatchObject([{ reference: lost.subscription }]);
});

it("at Lemon Squeezy, a row with another plan and end changes only what the customer's own account bought", async () => {
  const [user, other] = [await newConfirmed(), await newConfirmed()];
  // By the email of the account.
  const own = await buyWithToken(user, user.email);
  const extended = { ...own.row, ...later() };
  expect(await reconcile(extended)).toMatchObject({ differs: [{ healed: true }] });
  // By an email of nobody.
  const typed = await buyWithToken(other, newEmail());
  expect(await reconcile({ ...typed.row, ...later() })).toMatchObject({ differs: [unclear] });
  // The customer is bound to somebody else's account.
  const stranger = await newConfirmed();
  const { customer } = own.purchase;
  const theirs = await buyWithToken(stranger, user.email, { customer });
  const named = { ...extended, subscription: String(own.purchase.subscription) };
  const unnamed = { ...theirs.row, plan: 'advanced', current_period_end: iso(server.now() + 200 * day) };
  expect(await reconcile(named, unnamed)).toMatchObject({ agree: 1, differs: [{ row: 2, ...unclear }] });
  expect(await rowsOf(stranger.id)).toMatchObject([{ plan: 'standard' }]);
});

it('at Lemon Squeezy, a bound customer extends its subscription after the account has changed its email', async () => {
  const user = await newConfirmed();
  const { row, purchase } = await buyWithToken(user, user.email);
  await server.database.write((transaction) =>
    server.services.accounts.changeEmail(transaction, { id: user.id, email: newEmail() }, byCommand),
  );
  expect(await customerOf(purchase.customer)).toMatchObject({ user_id: user.id });
  expect(await reconcile({ ...row, ...later() })).toMatchObject({ differs: [{ healed: true }] });
});

it('what a list has added for an email, later lists extend: at Stripe by the customer, at Lemon Squeezy by that email', async () => {
  const [stripe, lemon] = [newStripePurchase(newEmail()), newLemonPurchase(newEmail())];
  const rows = [stripeRow(stripe, server.now()), lemonRow(lemon, server.now())];
  expect(await reconcile(...rows)).toMatchObject({ pays_without_access: [{ healed: true }, { healed: true }] });
  const [ofStripe, ofLemon] = rows.map((row) => ({ ...row, ...later(), as_of: '' }));
  expect(await reconcile({ ...ofStripe, email: '' })).toMatchObject({ differs: [{ healed: true }] });
  expect(await reconcile({ ...ofLemon })).toMatchObject({ differs: [{ healed: true }] });
});

it('at Stripe, a customer extends its subscription without an email; of two equally dissimilar ones, neither', async () => {
  const user = await signUp(server);
  const { purchase, row } = await buy(user.email);
  expect(await reconcile({ ...row, email: '', ...later() })).toMatchObject({ differs: [{ healed: true }] });
  await buy(user.email, { customer: purchase.customer, price: 'price_advanced' });
  const other = { ...row, email: '', current_period_end: iso(server.now() + 300 * day), as_of: '' };
  expect(await reconcile(other)).toMatchObject({ differs: [unclear] });
});
