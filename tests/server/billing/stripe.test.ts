/** Events of Stripe, signed by Stripe's own library. Transport: inject. */
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { day, minute, second } from '../../harness/fake-clock.ts';
import { sharedApp } from '../../harness/start-app.ts';
import type { Json } from '../../harness/test-server.ts';
import { newEmail, signUp } from '../../harness/users.ts';
import { newId, subscriptionOf } from './provider-events.ts';

const secret = 'whsec_test_secret';
const server = sharedApp({
  LATCHKEY_STRIPE_WEBHOOK_SECRET: secret,
  LATCHKEY_BILLING_PRICES: 'price_standard=standard, price_advanced=advanced',
});
const stripe = new Stripe('sk_test_unused');

type Sending = { readonly secret?: string; readonly atMs?: number; readonly id?: string };

/** An event of Stripe, whose `created` is in whole seconds. */
function stripeEvent(type: string, object: object, atMs = server.now(), id = newId('evt')) {
  return { id, object: 'event', api_version: '2026-01-28', created: Math.floor(atMs / 1000), type, data: { object } };
}

function send(event: object, { secret: signedWith = secret, atMs = server.now() }: Sending = {}) {
  const payload = JSON.stringify(event, null, 2);
  const timestamp = Math.floor(atMs / 1000);
  const header = stripe.webhooks.generateTestHeaderString({ payload, secret: signedWith, timestamp });
  const headers = { 'stripe-signature': header, 'content-type': 'application/json; charset=utf-8' };
  return server.request('POST', '/api/v1/billing/stripe', { body: payload, headers });
}

const inSeconds = (offsetMs: number) => Math.floor((server.now() + offsetMs) / 1000);

function stripeSubscription(fields: Json = {}) {
  return {
    id: newId('sub'),
    object: 'subscription',
    customer: newId('cus'),
    status: 'active',
    cancel_at_period_end: false,
    metadata: {},
    items: {
      object: 'list',
      data: [
        {
          id: 'si_1',
          current_period_start: inSeconds(0),
          current_period_end: inSeconds(30 * day),
          price: { id: 'price_standard', object: 'price' },
        },
      ],
    },
    ...fields,
  };
}

const findEvent = async (id: string) =>
  ((await server.admin('billing', 'list')) as unknown as readonly Json[]).find(({ event_id }) => event_id === id);

describe('a subscription at Stripe', () => {
  it('is tracked from its start to its end', async () => {
    const user = await signUp(server);
    const bought = stripeSubscription({ metadata: { email: user.email } });
    expect((await send(stripeEvent('customer.subscription.created', bought))).body).toStrictEqual({ success: true });
    const iso = (secondsOfDay: number) => new Date(secondsOfDay * 1000).toISOString();
    expect(await subscriptionOf(server, user.email)).toMatchObject({
      plan: 'standard',
      status: 'active',
      current_period_start: iso(inSeconds(0)),
      current_period_end: iso(inSeconds(30 * day)),
      cancel_at_period_end: false,
    });
    const { customer, id } = bought;
    const later = (status: string, fields: Json = {}) => stripeSubscription({ id, customer, status, ...fields });
    server.clock.advance(second);
    await send(stripeEvent('customer.subscription.updated', later('past_due', { cancel_at_period_end: true })));
    expect(await subscriptionOf(server, user.email)).toMatchObject({ status: 'past_due', cancel_at_period_end: true });
    server.clock.advance(second);
    await send(stripeEvent('customer.subscription.deleted', later('canceled')));
    expect(await subscriptionOf(server, user.email)).toMatchObject({ status: 'canceled', gives_access: false });
    expect(await server.admin('audit', 'list', '--limit', '1')).toMatchObject([
      { actor: 'Stripe', action: 'billing.apply', details: { event: 'customer.subscription.deleted' } },
    ]);
  });

  it('is not changed by an event that is dated ahead, which is kept', async () => {
    const email = newEmail();
    const bought = stripeSubscription({ metadata: { email } });
    const ahead = { ...bought, status: 'canceled' };
    const event = stripeEvent('customer.subscription.updated', ahead, Date.UTC(9999, 0, 1));
    expect((await send(event)).status).toBe(200);
    expect(await findEvent(event.id)).toMatchObject({ state: 'dead_letter', reason: expect.stringContaining('ahead') });
    await send(stripeEvent('customer.subscription.created', bought));
    expect(await subscriptionOf(server, email)).toMatchObject({ status: 'active' });
  });

  it('takes the plan from its metadata if its price has none', async () => {
    const email = newEmail();
    const items = { data: [{ price: { id: 'price_other' } }] };
    const metadata = { email, plan: 'free' };
    await send(stripeEvent('customer.subscription.created', stripeSubscription({ metadata, items })));
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'free' });
    await send(
      stripeEvent('customer.subscription.created', stripeSubscription({ metadata: { email, plan: 'advanced' } })),
    );
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'standard' });
  });

  it('takes its period from the subscription itself in earlier API versions', async () => {
    const email = newEmail();
    const items = { data: [{ price: { id: 'price_advanced' } }] };
    const period = { current_period_start: inSeconds(0), current_period_end: inSeconds(7 * day) };
    await send(
      stripeEvent('customer.subscription.created', stripeSubscription({ metadata: { email }, items, ...period })),
    );
    expect(await subscriptionOf(server, email)).toMatchObject({
      plan: 'advanced',
      current_period_start: new Date(inSeconds(0) * 1000).toISOString(),
      current_period_end: new Date(inSeconds(7 * day) * 1000).toISOString(),
    });
  });

  it('takes the plan from the first of its items whose price has one', async () => {
    const email = newEmail();
    const prices = [null, { id: 'price_setup_fee' }, { id: 'price_advanced' }];
    const items = { data: prices.map((price) => ({ price })) };
    await send(stripeEvent('customer.subscription.created', stripeSubscription({ metadata: { email }, items })));
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'advanced' });
  });

  it.each([
    { what: 'in the subscription', fields: (customer_email: string) => ({ customer_email, customer: undefined }) },
    { what: 'in its expanded customer', fields: (email: string) => ({ customer: { id: newId('cus'), email } }) },
  ])('belongs to the email $what, without any metadata', async ({ fields }) => {
    const email = newEmail();
    const bought = stripeSubscription({ ...fields(email), metadata: null });
    await send(stripeEvent('customer.subscription.created', bought));
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'standard', status: 'active' });
  });

  it('without items has the plan of its metadata', async () => {
    const email = newEmail();
    const bought = stripeSubscription({ metadata: { email, plan: 'advanced' }, items: undefined });
    await send(stripeEvent('customer.subscription.created', bought));
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'advanced', status: 'active' });
  });

  it.each([
    { when: 'with its period, is not renewed', days: 30, cancel_at_period_end: true },
    { when: 'before its period, is not renewed', days: 29, cancel_at_period_end: true },
    { when: 'in a later period, is renewed until then', days: 60, cancel_at_period_end: false },
  ])('that ends at a set time $when', async ({ days, cancel_at_period_end }) => {
    const email = newEmail();
    const bought = stripeSubscription({ metadata: { email }, cancel_at: inSeconds(days * day) });
    await send(stripeEvent('customer.subscription.updated', bought));
    expect(await subscriptionOf(server, email)).toMatchObject({ status: 'active', cancel_at_period_end });
  });

  it('that ends at a set time, and whose period is not known, is not renewed', async () => {
    const email = newEmail();
    const metadata = { email, plan: 'advanced' };
    const bought = stripeSubscription({ metadata, items: undefined, cancel_at: inSeconds(60 * day) });
    await send(stripeEvent('customer.subscription.updated', bought));
    expect(await subscriptionOf(server, email)).toMatchObject({ status: 'active', cancel_at_period_end: true });
  });

  it('is canceled once it is deleted, whatever status it still has', async () => {
    const email = newEmail();
    const bought = stripeSubscription({ metadata: { email } });
    await send(stripeEvent('customer.subscription.created', bought));
    await send(stripeEvent('customer.subscription.deleted', bought));
    expect(await subscriptionOf(server, email)).toMatchObject({ status: 'canceled' });
  });

  it.each([
    {
      type: 'customer.created',
      where: 'itself',
      object: (id: string, email: string) => ({ id, object: 'customer', email }),
    },
    {
      type: 'checkout.session.completed',
      where: 'itself',
      object: (customer: string, email: string) => ({ id: 'cs_1', customer, customer_details: { email } }),
    },
    {
      type: 'checkout.session.completed',
      where: 'with an email of its own',
      object: (customer: string, customer_email: string) => ({ id: 'cs_1', customer, customer_email }),
    },
    {
      type: 'checkout.session.completed',
      where: 'with an expanded customer',
      object: (id: string, email: string) => ({ id: 'cs_1', customer: { id, email }, customer_details: null }),
    },
  ])('is kept until $type $where identifies the customer', async ({ type, object }) => {
    const email = newEmail();
    const bought = stripeSubscription();
    const event = stripeEvent('customer.subscription.created', bought);
    await send(event);
    expect(await findEvent(event.id)).toMatchObject({
      state: 'dead_letter',
      reason: 'The email of the customer is not known yet.',
    });
    await send(stripeEvent(type, object(bought.customer, email)));
    expect(await findEvent(event.id)).toMatchObject({ state: 'applied', email });
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'standard', status: 'active' });
  });

  it('stays with its account when the customer changes the email', async () => {
    const email = newEmail();
    const bought = stripeSubscription();
    await send(stripeEvent('customer.created', { id: bought.customer, email }));
    await send(stripeEvent('customer.subscription.created', bought));
    await send(stripeEvent('customer.updated', { id: bought.customer, email: newEmail() }));
    await send(stripeEvent('customer.subscription.updated', { ...bought, status: 'past_due' }));
    expect(await subscriptionOf(server, email)).toMatchObject({ status: 'past_due' });
  });

  it('belongs to the latest email of the customer, in whatever order the customer events arrive', async () => {
    const [before, after] = [newEmail(), newEmail()];
    const bought = stripeSubscription();
    const created = stripeEvent('customer.created', { id: bought.customer, email: before });
    server.clock.advance(second);
    await send(stripeEvent('customer.updated', { id: bought.customer, email: after }));
    await send(created);
    await send(stripeEvent('customer.subscription.created', bought));
    expect(await subscriptionOf(server, after)).toMatchObject({ plan: 'standard' });
    await expect(subscriptionOf(server, before)).rejects.toThrow();
  });

  it('belongs to the email of a customer event that is older than its own and arrives later', async () => {
    const email = newEmail();
    const bought = stripeSubscription();
    const created = stripeEvent('customer.created', { id: bought.customer, email });
    server.clock.advance(second);
    await send(stripeEvent('customer.subscription.created', bought));
    await send(created);
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'standard' });
  });

  it('belongs to the email of an earlier customer event if a later checkout has none', async () => {
    const email = newEmail();
    const bought = stripeSubscription();
    const created = stripeEvent('customer.created', { id: bought.customer, email });
    server.clock.advance(second);
    await send(stripeEvent('checkout.session.completed', { customer: bought.customer }));
    await send(created);
    await send(stripeEvent('customer.subscription.created', bought));
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'standard' });
  });

  it('takes nothing away if a typed email identifies the customer, whatever account its metadata names', async () => {
    await server.admin('plan', 'set', 'team', '--max-devices', '20');
    const email = newEmail();
    await send(stripeEvent('customer.subscription.created', stripeSubscription({ metadata: { email } })));
    const typed = stripeSubscription();
    await send(stripeEvent('customer.created', { id: typed.customer, email }));
    await send(stripeEvent('customer.subscription.created', typed));
    const { customer } = typed;
    const items = { object: 'list', data: [] };
    const other = stripeSubscription({ customer, items, metadata: { email: newEmail(), plan: 'team' } });
    const event = stripeEvent('customer.subscription.created', other);
    await send(event);
    expect(await findEvent(event.id)).toMatchObject({ state: 'applied', email });
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'standard' });
  });

  it('does not end another subscription when it ends', async () => {
    const email = newEmail();
    const [first, second_] = [stripeSubscription({ metadata: { email } }), stripeSubscription({ metadata: { email } })];
    await send(stripeEvent('customer.subscription.created', first));
    await send(stripeEvent('customer.subscription.created', second_));
    const end = stripeEvent('customer.subscription.deleted', { ...first, status: 'canceled' });
    await send(end);
    expect(await subscriptionOf(server, email)).toMatchObject({ status: 'active' });
    await send(stripeEvent('customer.subscription.deleted', { ...second_, status: 'canceled' }));
    expect(await subscriptionOf(server, email)).toMatchObject({ status: 'canceled' });
  });

  it.each([
    { status: 'trialing', reads: 'trialing' },
    { status: 'unpaid', reads: 'expired' },
    { status: 'paused', reads: 'expired' },
  ])('with the status $status is read as $reads', async ({ status, reads }) => {
    const email = newEmail();
    await send(stripeEvent('customer.subscription.updated', stripeSubscription({ metadata: { email }, status })));
    expect(await subscriptionOf(server, email)).toMatchObject({ status: reads });
  });

  it('changes nothing before its first payment', async () => {
    const email = newEmail();
    const event = stripeEvent(
      'customer.subscription.created',
      stripeSubscription({ metadata: { email }, status: 'incomplete' }),
    );
    await send(event);
    await expect(subscriptionOf(server, email)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
    expect(await findEvent(event.id)).toMatchObject({ state: 'ignored' });
  });
});

describe('an event of Stripe', () => {
  it('is applied only once', async () => {
    const email = newEmail();
    const event = stripeEvent('customer.subscription.created', stripeSubscription({ metadata: { email } }));
    await send(event);
    await server.admin('subscription', 'set', email, '--plan', 'advanced');
    expect((await send(event)).status).toBe(200);
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'advanced' });
  });

  it.each([
    { what: 'of another type', type: 'invoice.paid', object: {}, reason: 'The type of the event is not known.' },
    {
      what: 'that matters to nobody',
      type: 'product.created',
      object: {},
      reason: 'The type of the event is not known.',
    },
    {
      what: 'about a paid invoice that cannot be understood',
      type: 'invoice.payment_succeeded',
      object: { object: 'invoice', id: 7 },
      reason: 'The invoice cannot be understood.',
    },
    {
      what: 'about a subscription of nobody',
      type: 'customer.subscription.updated',
      object: { customer: undefined, metadata: undefined, items: undefined },
      reason: 'The email of the customer is not known yet.',
    },
    {
      what: 'with an unknown status',
      type: 'customer.subscription.updated',
      object: { status: 'frozen' },
      reason: 'The status "frozen" is not known.',
    },
    {
      what: 'with a status named like a method of all objects',
      type: 'customer.subscription.updated',
      object: { status: 'constructor' },
      reason: 'The status "constructor" is not known.',
    },
    {
      what: 'with a price that has no plan',
      type: 'customer.subscription.updated',
      object: { metadata: { email: 'a@b.example' }, items: { data: [{ price: { id: 'price_other' } }] } },
      reason: 'No plan is set for this price.',
    },
    {
      what: 'that cannot be understood',
      type: 'customer.subscription.updated',
      object: { id: 7 },
      reason: 'The subscription cannot be understood.',
    },
    {
      what: 'with a status that PostgreSQL cannot store',
      type: 'customer.subscription.updated',
      object: { status: 'a\0b' },
      reason: 'The subscription cannot be understood.',
    },
    {
      what: 'whose email is none',
      type: 'customer.subscription.updated',
      object: { metadata: { email: 'nobody' } },
      reason: 'The email of the customer is not an email address.',
    },
  ])('$what is kept', async ({ type, object, reason }) => {
    const event = stripeEvent(type, stripeSubscription(object));
    expect((await send(event)).status).toBe(200);
    expect(await findEvent(event.id)).toMatchObject({
      provider: 'stripe',
      type,
      state: 'dead_letter',
      reason,
      payload: JSON.parse(JSON.stringify(event)),
    });
  });

  it.each([
    { what: 'a customer without an email', type: 'customer.created', object: { id: 'cus_1', email: null } },
    { what: 'a checkout without an email', type: 'checkout.session.completed', object: { customer: 'cus_1' } },
    { what: 'a checkout without a customer', type: 'checkout.session.completed', object: { customer: null } },
  ])('about $what is ignored', async ({ type, object }) => {
    const event = stripeEvent(type, object);
    expect((await send(event)).status).toBe(200);
    expect(await findEvent(event.id)).toMatchObject({ state: 'ignored', reason: null, email: null });
  });

  it('is accepted with several signatures of which one is right, as while its secret is replaced', async () => {
    const payload = JSON.stringify(stripeEvent('customer.created', {}));
    const sign = (scheme: string, signedWith: string) =>
      stripe.webhooks.generateTestHeaderString({ payload, secret: signedWith, timestamp: inSeconds(0), scheme });
    const post = async (signature?: string) => {
      const headers = {
        'content-type': 'application/json',
        ...(signature !== undefined && { 'stripe-signature': signature }),
      };
      return (await server.request('POST', '/api/v1/billing/stripe', { body: payload, headers })).status;
    };
    const [other, right] = [sign('v1', 'whsec_other'), sign('v1', secret).split(',')[1]];
    expect(await post(`${other},${right}`)).toBe(200);
    expect(await post(sign('v1', secret).split(',').reverse().join(',')), 'the time last').toBe(200);
    expect(await post(other)).toBe(401);
    expect(await post(sign('v0', secret)), 'of another scheme').toBe(401);
    expect(await post(), 'without a signature').toBe(401);
  });

  it.each([
    { what: 'signed with another secret', sending: () => ({ secret: 'whsec_other' }) },
    { what: 'signed more than 5 minutes ago', sending: () => ({ atMs: server.now() - 5 * minute - second }) },
  ])('$what is refused', async ({ sending }) => {
    const { status, body } = await send(stripeEvent('customer.created', {}), sending());
    expect([status, body.code]).toEqual([401, 'INVALID_TOKEN']);
  });

  it.each(['', 't=1', 'v1=00', 't=,v1=', 'x'])('with the signature %j is refused', async (signature) => {
    const headers = { 'stripe-signature': signature };
    const { status } = await server.request('POST', '/api/v1/billing/stripe', { body: {}, headers });
    expect(status).toBe(401);
  });

  it('without an id gets VALIDATION_ERROR', async () => {
    const { status, body } = await send({ type: 'customer.created' });
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});
