/**
 * Events of Lemon Squeezy, signed as documented (docs.lemonsqueezy.com/help/webhooks/signing-requests). Transport:
 * inject.
 */
import { describe, expect, it } from 'vitest';
import { day, second } from '../../harness/fake-clock.ts';
import { sharedApp } from '../../harness/start-app.ts';
import type { Json } from '../../harness/test-server.ts';
import { newEmail } from '../../harness/users.ts';
import {
  lemonEvents,
  newLemonPurchase,
  newNumber,
  providerSettings,
  sendLemon,
  subscriptionOf,
} from './provider-events.ts';

const server = sharedApp(providerSettings);

const isoIn = (offsetMs: number) => new Date(server.now() + offsetMs).toISOString().replace(/\.(\d+)Z/, '.$1000Z');

/** An event of now, with the subscription's state in `attributes`. */
function lemonEvent(eventName: string, attributes: Json, { id = newNumber() }: { id?: number } = {}) {
  const purchase = newLemonPurchase('', { subscription: id });
  return lemonEvents(purchase).subscription(eventName, server.now(), server.now(), attributes);
}

const newest = async () => ((await server.admin('billing', 'list', '--limit', '1')) as unknown as readonly Json[])[0];

describe('a subscription at Lemon Squeezy', () => {
  it('is tracked from its start to its end', async () => {
    const [user_email, id] = [newEmail(), newNumber()];
    expect(await sendLemon(server, lemonEvent('subscription_created', { user_email }, { id }))).toBe(200);
    const renews = new Date(server.now() + 30 * day).toISOString();
    expect(await subscriptionOf(server, user_email)).toMatchObject({
      plan: 'standard',
      status: 'active',
      current_period_end: renews,
      cancel_at_period_end: false,
    });
    server.clock.advance(second);
    // A canceled subscription gives access until it ends.
    const cancelled = { user_email, status: 'cancelled', cancelled: true, ends_at: isoIn(day) };
    await sendLemon(server, lemonEvent('subscription_cancelled', cancelled, { id }));
    expect(await subscriptionOf(server, user_email)).toMatchObject({
      status: 'active',
      gives_access: true,
      current_period_end: new Date(server.now() + day).toISOString(),
      cancel_at_period_end: true,
    });
    server.clock.advance(day);
    expect(await subscriptionOf(server, user_email)).toMatchObject({ status: 'expired', gives_access: false });
    await sendLemon(
      server,
      lemonEvent('subscription_expired', { user_email, status: 'expired', ends_at: isoIn(0) }, { id }),
    );
    expect(await subscriptionOf(server, user_email)).toMatchObject({ status: 'expired' });
  });

  it('is not changed by an event that is dated ahead, which is kept', async () => {
    const email = newEmail();
    const ahead = { user_email: email, status: 'expired', updated_at: '9999-01-01T00:00:00.000000Z' };
    expect(await sendLemon(server, lemonEvent('subscription_updated', ahead))).toBe(200);
    expect(await newest()).toMatchObject({ state: 'dead_letter', reason: expect.stringContaining('ahead'), email });
    await sendLemon(server, lemonEvent('subscription_created', { user_email: email }));
    expect(await subscriptionOf(server, email)).toMatchObject({ status: 'active' });
  });

  it.each([
    { status: 'on_trial', reads: 'trialing' },
    { status: 'past_due', reads: 'past_due' },
    { status: 'unpaid', reads: 'expired' },
    { status: 'paused', reads: 'expired' },
  ])('with the status $status is read as $reads', async ({ status, reads }) => {
    const user_email = newEmail();
    await sendLemon(server, lemonEvent('subscription_updated', { user_email, status, trial_ends_at: isoIn(day) }));
    expect(await subscriptionOf(server, user_email)).toMatchObject({ status: reads });
  });

  it.each([
    { what: 'its trial', of: { status: 'on_trial', trial_ends_at: day, renews_at: 2 * day, ends_at: null }, days: 1 },
    { what: 'its period', of: { status: 'on_trial', trial_ends_at: null, renews_at: 2 * day, ends_at: null }, days: 2 },
    { what: 'its period', of: { status: 'active', trial_ends_at: day, renews_at: 2 * day, ends_at: null }, days: 2 },
    { what: 'its end', of: { status: 'on_trial', trial_ends_at: day, renews_at: 2 * day, ends_at: 3 * day }, days: 3 },
  ])('with the status $of.status ends with $what, in $days days', async ({ of: { status, ...times }, days }) => {
    const user_email = newEmail();
    const inIso = Object.entries(times).map(([name, ms]) => [name, ms === null ? null : isoIn(ms)]);
    await sendLemon(server, lemonEvent('subscription_created', { user_email, status, ...Object.fromEntries(inIso) }));
    const current_period_end = new Date(server.now() + days * day).toISOString();
    expect(await subscriptionOf(server, user_email)).toMatchObject({ current_period_end });
  });

  it('has the plan of its price if its variant has none, and needs neither a customer nor an order', async () => {
    const user_email = newEmail();
    const of = { variant_id: null, first_subscription_item: { price_id: 12 }, customer_id: null, order_id: null };
    await sendLemon(server, lemonEvent('subscription_created', { user_email, ...of }));
    expect(await subscriptionOf(server, user_email)).toMatchObject({ plan: 'advanced', status: 'active' });
  });

  it('is active even if no time of its end is named', async () => {
    const user_email = newEmail();
    const event = lemonEvent('subscription_created', { user_email, renews_at: null, first_subscription_item: null });
    expect(await sendLemon(server, event)).toBe(200);
    expect(await subscriptionOf(server, user_email)).toMatchObject({ plan: 'standard', status: 'active' });
  });
});

describe('a payment at Lemon Squeezy', () => {
  /** Buys a subscription and refunds its order. */
  async function refunded(fields: Json = {}) {
    const purchase = newLemonPurchase(newEmail());
    const events = lemonEvents(purchase);
    const atMs = server.now() - day;
    expect(await sendLemon(server, events.subscription('subscription_created', atMs))).toBe(200);
    expect(await sendLemon(server, events.orderRefunded(atMs + second, fields))).toBe(200);
    const statusNow = async () => (await subscriptionOf(server, purchase.email))?.status;
    return { purchase, events, atMs, statusNow };
  }
  const invoiceOf = (
    event: ReturnType<ReturnType<typeof lemonEvents>['paymentSuccess']>,
    name: string,
    fields: Json,
  ) => ({
    meta: { ...event.meta, event_name: name },
    data: { ...event.data, attributes: { ...(event.data.attributes as Json), ...fields } },
  });

  it.each<{ what: string; name?: string; fields: Json; becomes: string }>([
    { what: 'that was paid', fields: {}, becomes: 'active' },
    { what: 'without an amount', fields: { total: undefined }, becomes: 'active' },
    { what: 'that was recovered', name: 'subscription_payment_recovered', fields: {}, becomes: 'active' },
    { what: 'of nothing', fields: { total: 0 }, becomes: 'canceled' },
    { what: 'that is void', fields: { status: 'void' }, becomes: 'canceled' },
  ])('$what after a refund makes the subscription $becomes', async ({ name, fields, becomes }) => {
    const { events, atMs, statusNow } = await refunded();
    expect(await statusNow()).toBe('canceled');
    const paid = events.paymentSuccess(atMs + 2 * second);
    expect(await sendLemon(server, invoiceOf(paid, name ?? 'subscription_payment_success', fields))).toBe(200);
    expect(await statusNow()).toBe(becomes);
  });

  it.each<{ what: string; fields: Json; becomes: string }>([
    { what: 'says so by its status only', fields: { refunded: false }, becomes: 'canceled' },
    { what: 'says so by its flag only', fields: { status: 'paid' }, becomes: 'canceled' },
    { what: 'does not say when', fields: { refunded_at: null }, becomes: 'canceled' },
    { what: 'does not say of which customer', fields: { customer_id: null }, becomes: 'canceled' },
    { what: 'is of another customer', fields: { customer_id: 1 }, becomes: 'active' },
    { what: 'is only in part', fields: { status: 'partial_refund' }, becomes: 'active' },
    { what: 'is neither', fields: { status: 'paid', refunded: false }, becomes: 'active' },
  ])('whose refund $what makes the subscription $becomes', async ({ fields, becomes }) => {
    const { statusNow } = await refunded(fields);
    expect(await statusNow()).toBe(becomes);
  });

  it('finds the subscription by an order and customer that only an outdated event has named', async () => {
    const purchase = newLemonPurchase(newEmail());
    const events = lemonEvents(purchase);
    const atMs = server.now() - day;
    const unnamed = { customer_id: null, order_id: null };
    await sendLemon(server, events.subscription('subscription_updated', atMs + second, atMs, unnamed));
    await sendLemon(server, events.subscription('subscription_created', atMs));
    expect(await newest()).toMatchObject({ state: 'outdated' });
    expect(await sendLemon(server, events.orderRefunded(atMs + 2 * second))).toBe(200);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject({ status: 'canceled' });
  });

  it.each(['nobody@example.com', null])(
    'whose refund matches nothing is kept with the email %j',
    async (user_email) => {
      const event = lemonEvents(newLemonPurchase('')).orderRefunded(server.now(), { user_email });
      expect(await sendLemon(server, event)).toBe(200);
      expect(await newest()).toMatchObject({ type: 'order_refunded', state: 'dead_letter', email: user_email });
    },
  );
});

describe('an event of Lemon Squeezy', () => {
  it('is applied once, and not after a later one', async () => {
    const [user_email, id] = [newEmail(), newNumber()];
    const first = lemonEvent('subscription_created', { user_email }, { id });
    server.clock.advance(second);
    await sendLemon(server, lemonEvent('subscription_updated', { user_email, status: 'past_due' }, { id }));
    await sendLemon(server, first);
    expect(await newest()).toMatchObject({ state: 'outdated' });
    const events = (await server.admin('billing', 'list')) as unknown as readonly Json[];
    await sendLemon(server, first);
    expect(await server.admin('billing', 'list')).toHaveLength(events.length);
    expect(await subscriptionOf(server, user_email)).toMatchObject({ status: 'past_due' });
  });

  it.each<{ what: string; type?: string; data: unknown; reason: unknown }>([
    { what: 'of another kind', data: { type: 'orders', id: '1' }, reason: 'The type of the event is not known.' },
    {
      what: 'that cannot be understood',
      data: { type: 'subscriptions', id: '1' },
      reason: 'The subscription cannot be understood.',
    },
    {
      what: 'with a status that PostgreSQL cannot store',
      data: {
        type: 'subscriptions',
        id: '1',
        attributes: { user_email: 'a@b.example', status: 'a\0b', updated_at: '2026-01-01T00:00:00.000000Z' },
      },
      reason: 'The subscription cannot be understood.',
    },
    { what: 'about nothing', data: null, reason: 'The type of the event is not known.' },
    {
      what: 'with a status named like a method of all objects',
      data: lemonEvents(newLemonPurchase('a@b.example')).subscription('', 0, 0, { status: 'constructor' }).data,
      reason: 'The status "constructor" is not known.',
    },
    {
      what: 'with a status that is not well-formed',
      data: lemonEvents(newLemonPurchase('a@b.example')).subscription('', 0, 0, { status: '\ud800' }).data,
      reason: 'The subscription cannot be understood.',
    },
    ...['subscription_payment_refunded', 'subscription_payment_success'].map((type) => ({
      what: `of the type ${type} without what it is about`,
      type,
      data: { type: 'subscription-invoices', id: '1' },
      reason: 'The type of the event is not known, or its invoice cannot be understood.',
    })),
    {
      what: 'of the type order_refunded without what it is about',
      type: 'order_refunded',
      data: { type: 'orders', id: '1' },
      reason: 'The type of the event is not known.',
    },
  ])('$what is kept', async ({ data, reason, type = 'something' }) => {
    const event = { ...lemonEvent(type, {}), data };
    expect(await sendLemon(server, event)).toBe(200);
    expect(await newest()).toMatchObject({ provider: 'lemonsqueezy', type, state: 'dead_letter', reason });
  });

  it('without a signature is refused', async () => {
    const { status } = await server.request('POST', '/api/v1/billing/lemonsqueezy', { body: {} });
    expect(status).toBe(401);
  });

  it.each(['', '00', 'f'.repeat(64), 'not hex'])('with the signature %j is refused', async (signature) => {
    const request = { body: lemonEvent('subscription_created', {}), headers: { 'x-signature': signature } };
    const { status, body } = await server.request('POST', '/api/v1/billing/lemonsqueezy', request);
    expect([status, body.code]).toEqual([401, 'INVALID_TOKEN']);
  });
});
