/** Refunds and lost disputes, in every order in which a provider may send its events. Transport: inject. */
import { describe, expect, it } from 'vitest';
import { day, hour, second } from '../../harness/fake-clock.ts';
import { sharedApp } from '../../harness/start-app.ts';
import type { Json } from '../../harness/test-server.ts';
import { newEmail } from '../../harness/users.ts';
import {
  lemonEvents,
  newId,
  newLemonPurchase,
  newStripePurchase,
  permutationsOf,
  providerSettings,
  type StripePurchase,
  sendAllToLemon,
  sendAllToStripe,
  sendLemon,
  sendStripe,
  stripeEvents,
  subscriptionOf,
} from './provider-events.ts';

const server = sharedApp(providerSettings);

const listKept = async (email: string) =>
  ((await server.admin('billing', 'list', '--state', 'dead_letter')) as unknown as readonly Json[]).filter(
    (event) => JSON.stringify(event).includes(email) || email === '',
  );
const ended = { status: 'canceled', gives_access: false };
const active = { status: 'active', gives_access: true };

describe.each(['2024-06-20', '2025-03-31.basil'] as const)('at Stripe, with version %s of its API', (version) => {
  /** The events that link a charge to what it paid for. */
  const linksOf = (events: ReturnType<typeof stripeEvents>, atMs: number) =>
    version < '2025' ? [events.invoicePaid(atMs)] : [events.invoicePaid(atMs), events.invoicePaymentPaid(atMs)];

  it('a full refund ends access at once', async () => {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase, version);
    const atMs = server.now();
    await sendAllToStripe(server, [events.subscription('created', atMs), ...linksOf(events, atMs)]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(active);
    await sendAllToStripe(server, [events.refunded(atMs)]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(ended);
    expect(await server.admin('audit', 'list', '--limit', '1')).toMatchObject([
      { actor: 'Stripe', action: 'billing.apply', details: { event: 'charge.refunded', status: 'canceled' } },
    ]);
  });

  it('a partial refund ends nothing', async () => {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase, version);
    const atMs = server.now();
    await sendAllToStripe(server, [events.subscription('created', atMs), ...linksOf(events, atMs)]);
    await sendAllToStripe(server, [events.refunded(atMs, { refunded: false, amount_refunded: 4899 })]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(active);
  });

  it.each(['won', 'warning_closed', 'prevented', 'lost'])(
    'a dispute closed as %s ends access only if it was lost',
    async (status) => {
      const purchase = newStripePurchase(newEmail());
      const events = stripeEvents(purchase, version);
      const atMs = server.now();
      await sendAllToStripe(server, [events.subscription('created', atMs), ...linksOf(events, atMs)]);
      await sendAllToStripe(server, [events.disputeClosed(atMs, status)]);
      expect(await subscriptionOf(server, purchase.email)).toMatchObject(status === 'lost' ? ended : active);
    },
  );

  it('a refund ends access whatever order its events arrive in, even repeated', async () => {
    const atMs = server.now();
    const kinds = ['subscription', 'links', 'refund', 'update'] as const;
    for (const order of permutationsOf(kinds)) {
      const purchase = newStripePurchase(newEmail());
      const events = stripeEvents(purchase, version);
      const of = {
        subscription: [events.subscription('created', atMs)],
        links: linksOf(events, atMs).toReversed(),
        refund: [events.refunded(atMs + 2000)],
        // For example because the metadata changed after the refund.
        update: [events.subscription('updated', atMs + 4000, atMs)],
      };
      const sent = order.flatMap((kind) => of[kind]);
      await sendAllToStripe(server, sent);
      expect(await subscriptionOf(server, purchase.email), order.join()).toMatchObject(ended);
      await sendAllToStripe(server, sent);
      expect(await subscriptionOf(server, purchase.email), `${order.join()} twice`).toMatchObject(ended);
      expect(await listKept(purchase.paymentIntent), order.join()).toEqual([]);
    }
  });

  it('a lost dispute finds its subscription whatever order its events arrive in', async () => {
    const atMs = server.now();
    const count = version < '2025' ? 3 : 4;
    for (const order of permutationsOf(Array.from({ length: count }, (_none, index) => index))) {
      const purchase = newStripePurchase(newEmail());
      const events = stripeEvents(purchase, version);
      const all = [events.disputeClosed(atMs, 'lost'), events.subscription('created', atMs), ...linksOf(events, atMs)];
      await sendAllToStripe(
        server,
        order.flatMap((index) => all[index] ?? []),
      );
      expect(await subscriptionOf(server, purchase.email), order.join()).toMatchObject(ended);
    }
  });

  it.each([
    { what: 'the period before a renewal ends nothing that was paid after it', refundDays: 10, becomes: active },
    { what: 'a renewal ends it, also if the renewal arrives later', refundDays: 31, becomes: ended },
  ])('a refund of $what', async ({ refundDays, becomes }) => {
    const startMs = server.now() - 32 * day;
    const renewedMs = startMs + 30 * day;
    for (const order of permutationsOf(['created', 'renewed', 'refund'] as const)) {
      const purchase = newStripePurchase(newEmail());
      const events = stripeEvents(purchase, version);
      await sendAllToStripe(server, linksOf(events, startMs));
      const of = {
        created: events.subscription('created', startMs),
        renewed: events.subscription('updated', renewedMs),
        refund: events.refunded(startMs + refundDays * day),
      };
      await sendAllToStripe(
        server,
        order.map((kind) => of[kind]),
      );
      expect(await subscriptionOf(server, purchase.email), order.join()).toMatchObject(becomes);
    }
  });

  it('a new payment after a refund gives access again', async () => {
    const startMs = server.now() - 31 * day;
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase, version);
    await sendAllToStripe(server, [events.subscription('created', startMs), ...linksOf(events, startMs)]);
    await sendAllToStripe(server, [events.refunded(startMs + day)]);
    await sendAllToStripe(server, [events.subscription('updated', startMs + 30 * day)]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(active);
  });

  it('the refund of a charge without a subscription ends nothing', async () => {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase, version);
    const atMs = server.now();
    await sendAllToStripe(server, [events.subscription('created', atMs), ...linksOf(events, atMs)]);
    const stored = server.database.read.selectFrom('provider_subscriptions').select('reference');
    const known = await stored.execute();
    const single = newStripePurchase(purchase.email, { customer: purchase.customer });
    await sendAllToStripe(server, [
      stripeEvents(single, version).refunded(atMs, version < '2025' ? { invoice: null } : {}),
    ]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(active);
    expect(await stored.execute()).toHaveLength(known.length);
  });

  it('a refund ends the subscription that was paid, not another one of the customer', async () => {
    const atMs = server.now();
    const first = newStripePurchase(newEmail());
    const second = newStripePurchase(first.email, { customer: first.customer, price: 'price_advanced' });
    for (const purchase of [first, second]) {
      const events = stripeEvents(purchase, version);
      await sendAllToStripe(server, [events.subscription('created', atMs), ...linksOf(events, atMs)]);
    }
    await sendAllToStripe(server, [stripeEvents(second, version).refunded(atMs)]);
    expect(await subscriptionOf(server, first.email)).toMatchObject({ ...active, plan: 'standard' });
  });
});

describe('a refund at Stripe without invoice events', () => {
  it('ends the only subscription of the customer, even if that becomes known later', async () => {
    const atMs = server.now();
    for (const order of permutationsOf([0, 1])) {
      const purchase = newStripePurchase(newEmail());
      const events = stripeEvents(purchase);
      const all = [events.subscription('created', atMs), events.refunded(atMs)];
      await sendAllToStripe(
        server,
        order.flatMap((index) => all[index] ?? []),
      );
      expect(await subscriptionOf(server, purchase.email), order.join()).toMatchObject(ended);
    }
  });

  it('is kept with a reason if the customer has two subscriptions, until it is known which one was paid', async () => {
    const atMs = server.now();
    const first = newStripePurchase(newEmail());
    const second = newStripePurchase(first.email, { customer: first.customer, price: 'price_advanced' });
    for (const purchase of [first, second]) {
      await sendAllToStripe(server, [stripeEvents(purchase).subscription('created', atMs)]);
    }
    const events = stripeEvents(second);
    await sendAllToStripe(server, [events.refunded(atMs)]);
    expect(await subscriptionOf(server, first.email)).toMatchObject({ ...active, plan: 'advanced' });
    expect(await listKept(second.paymentIntent)).toMatchObject([
      { reason: expect.stringContaining('not known which subscription'), type: 'charge.refunded' },
    ]);
    await sendAllToStripe(server, [events.invoicePaymentPaid(atMs), events.checkoutCompleted(atMs)]);
    expect(await subscriptionOf(server, first.email)).toMatchObject({ ...active, plan: 'standard' });
    expect(await listKept(second.paymentIntent)).toEqual([]);
  });

  it.each([
    { api_version: '2024-06-20', becomes: active },
    { api_version: '2025-03-31.basil', becomes: ended },
    { api_version: null, becomes: ended },
  ])('of a charge whose invoice is null, with version $api_version, leaves it $becomes.status', async (one) => {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase);
    const atMs = server.now();
    await sendAllToStripe(server, [events.subscription('created', atMs)]);
    await sendAllToStripe(server, [{ ...events.refunded(atMs, { invoice: null }), api_version: one.api_version }]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(one.becomes);
    expect(await listKept(purchase.charge)).toEqual([]);
  });

  it.each([
    { what: 'a payment intent', fields: {} },
    { what: 'no payment intent', fields: { payment_intent: null } },
  ])('by a lost dispute ends the only subscription of the customer that the charge names, with $what', async (one) => {
    const atMs = server.now();
    for (const order of [
      ['charge', 'subscription', 'dispute'],
      ['subscription', 'charge', 'dispute'],
      ['subscription', 'dispute', 'charge'],
    ] as const) {
      const purchase = newStripePurchase(newEmail());
      const events = stripeEvents(purchase);
      const of = {
        charge: {
          ...events.refunded(atMs, { amount_refunded: 0, refunded: false, ...one.fields }),
          type: 'charge.succeeded',
        },
        subscription: events.subscription('created', atMs),
        dispute: events.disputeClosed(atMs, 'lost', one.fields),
      };
      await sendAllToStripe(
        server,
        order.map((kind) => of[kind]),
      );
      expect(await subscriptionOf(server, purchase.email), order.join()).toMatchObject(ended);
    }
  });
});

describe('a subscription', () => {
  const rowsOf = async (email: string) => {
    const { id } = await server.services.accounts.getByEmail(email);
    return server.services.subscriptions.listInUse(server.database.read, id);
  };

  it.each([
    { provider: 'Stripe', by_typed_email: 0, cancels: true },
    { provider: 'Stripe', by_typed_email: 0, cancels: false },
    { provider: 'Lemon Squeezy', by_typed_email: 1, cancels: true },
  ])('at $provider keeps all but its status when it is refunded, ended: $cancels', async (one) => {
    const email = newEmail();
    const atMs = server.now() - day;
    const [atStripe, atLemon] = [stripeEvents(newStripePurchase(email)), lemonEvents(newLemonPurchase(email))];
    const isAtStripe = one.provider === 'Stripe';
    const created = atStripe.subscription('created', atMs);
    const object = { ...created.data.object, cancel_at_period_end: one.cancels };
    if (isAtStripe) await sendAllToStripe(server, [{ ...created, data: { object } }]);
    else await sendAllToLemon(server, [atLemon.subscription('x', atMs, atMs, { cancelled: one.cancels })]);
    const [before] = await rowsOf(email);
    expect(before).toMatchObject({ by_typed_email: one.by_typed_email, cancel_at_period_end: Number(one.cancels) });
    if (isAtStripe) await sendAllToStripe(server, [atStripe.refunded(atMs + second)]);
    else await sendAllToLemon(server, [atLemon.paymentRefunded(atMs + second)]);
    const { updated_at_ms: _updatedAt, ...kept } = before ?? { updated_at_ms: 0 };
    expect(await rowsOf(email)).toMatchObject([{ ...kept, status: 'canceled' }]);
  });

  it('that is paid as before leaves no entry in the audit log', async () => {
    const events = stripeEvents(newStripePurchase(newEmail()));
    await sendAllToStripe(server, [events.subscription('created', server.now())]);
    const last = await server.admin('audit', 'list', '--limit', '1');
    await sendAllToStripe(server, [events.invoicePaid(server.now())]);
    expect(await server.admin('audit', 'list', '--limit', '1')).toEqual(last);
  });
});

describe('a charge at Stripe', () => {
  /** Buys a subscription with these invoices, in addition to a charge that only names its payment. */
  async function buy(version: '2024-06-20' | '2025-03-31.basil', invoice: Json, links: readonly object[] = []) {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase, version);
    const atMs = server.now();
    await sendAllToStripe(server, [events.subscription('created', atMs), events.invoicePaid(atMs, invoice), ...links]);
    return { purchase, events, atMs };
  }
  const statusOf = async ({ subscription }: StripePurchase) => {
    const ofReference = server.database.read.selectFrom('subscriptions').where('reference', '=', subscription);
    return (await ofReference.select('status').executeTakeFirst())?.status;
  };

  it('is fully refunded by its amounts if it does not say so itself', async () => {
    const { purchase, events, atMs } = await buy('2024-06-20', {});
    await sendAllToStripe(server, [events.refunded(atMs, { refunded: undefined, amount_refunded: 4899 })]);
    expect(await statusOf(purchase)).toBe('active');
    await sendAllToStripe(server, [events.refunded(atMs, { refunded: undefined, amount_refunded: 4900 })]);
    expect(await statusOf(purchase)).toBe('canceled');
  });

  it.each([
    { what: 'its invoice names it', invoice: {}, charge: { invoice: undefined } },
    { what: 'it names its invoice', invoice: { charge: null, payment_intent: null }, charge: {} },
  ])('without a payment intent is refunded if $what', async ({ invoice, charge }) => {
    const { purchase, events, atMs } = await buy('2024-06-20', invoice);
    await sendAllToStripe(server, [
      stripeEvents(newStripePurchase(newEmail(), { customer: purchase.customer })).subscription('created', atMs),
    ]);
    await sendAllToStripe(server, [events.refunded(atMs, { payment_intent: null, ...charge })]);
    expect(await statusOf(purchase)).toBe('canceled');
    expect(await listKept(purchase.charge)).toEqual([]);
  });

  it.each([
    { what: 'payment intent', payment: ({ paymentIntent }: StripePurchase) => ({ payment_intent: paymentIntent }) },
    { what: 'charge', payment: ({ charge }: StripePurchase) => ({ charge }) },
  ])('is refunded if the invoice has its payments expanded, with the $what', async ({ what, payment }) => {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase);
    const atMs = server.now();
    const payments = { data: [{ payment: payment(purchase) }] };
    const other = newStripePurchase(newEmail(), { customer: purchase.customer });
    await sendAllToStripe(server, [
      events.subscription('created', atMs),
      stripeEvents(other).subscription('created', atMs),
      events.invoicePaid(atMs, { payments }),
      events.refunded(atMs, what === 'charge' ? { payment_intent: null } : {}),
    ]);
    expect(await statusOf(purchase)).toBe('canceled');
    expect(await statusOf(other)).toBe('active');
  });

  it('is refunded if the payment of its invoice has the charge instead of the payment intent', async () => {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase);
    const atMs = server.now();
    const paid = events.invoicePaymentPaid(atMs);
    const object = { ...paid.data.object, payment: { type: 'charge', charge: purchase.charge } };
    await sendAllToStripe(server, [
      events.subscription('created', atMs),
      events.invoicePaid(atMs),
      { ...paid, data: { object } },
      events.refunded(atMs, { payment_intent: null }),
    ]);
    expect(await statusOf(purchase)).toBe('canceled');
  });

  it.each([
    { links: 4, what: 'found', becomes: 'canceled' },
    { links: 5, what: 'not found', becomes: 'active' },
  ])('that leads to its subscription over $links links is $what, in whatever order they arrive', async (one) => {
    const { links, becomes } = one;
    for (const order of [(all: object[]) => all, (all: object[]) => all.toReversed()]) {
      const purchase = newStripePurchase(newEmail());
      const events = stripeEvents(purchase);
      const atMs = server.now();
      const ids = Array.from({ length: links }, () => newId('ch'));
      const chain = ids.map((id, index) => {
        const charge = { id, payment_intent: ids[index + 1] ?? purchase.invoice, customer: null };
        return {
          ...events.refunded(atMs, { ...charge, amount_refunded: 0, refunded: false }),
          type: 'charge.succeeded',
        };
      });
      const refund = events.disputeClosed(atMs, 'lost', { charge: ids[0], payment_intent: null });
      await sendAllToStripe(server, [events.subscription('created', atMs)]);
      await sendAllToStripe(server, order([...chain, events.invoicePaid(atMs), refund]));
      expect(await statusOf(purchase)).toBe(becomes);
    }
  });

  it.each<{ what: string; version: '2024-06-20' | '2025-03-31.basil'; invoice: Json }>([
    { what: 'no subscription', version: '2024-06-20', invoice: { subscription: null } },
    { what: 'no parent', version: '2025-03-31.basil', invoice: { parent: null } },
    { what: 'a quote as its parent', version: '2025-03-31.basil', invoice: { parent: { subscription_details: null } } },
  ])('of an invoice with $what ends nothing when it is refunded', async ({ version, invoice }) => {
    const { purchase, events, atMs } = await buy(version, invoice);
    await sendAllToStripe(server, [events.invoicePaymentPaid(atMs), events.refunded(atMs)]);
    expect(await statusOf(purchase)).toBe('active');
    expect(await listKept(purchase.charge)).toEqual([]);
  });
});

describe('an invoice at Stripe that is paid after a refund', () => {
  it.each<{ what: string; invoice: Json; becomes: string }>([
    { what: 'of an amount', invoice: {}, becomes: 'active' },
    { what: 'without the time of its payment', invoice: { status_transitions: null }, becomes: 'active' },
    { what: 'of nothing, such as that of a trial,', invoice: { amount_paid: 0 }, becomes: 'canceled' },
    { what: 'of an unknown amount', invoice: { amount_paid: undefined }, becomes: 'canceled' },
    { what: 'that is still open', invoice: { status: 'open' }, becomes: 'canceled' },
  ])('$what makes the subscription $becomes', async ({ invoice, becomes }) => {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase);
    const atMs = server.now() - day;
    await sendAllToStripe(server, [
      events.subscription('created', atMs),
      events.invoicePaid(atMs),
      events.invoicePaymentPaid(atMs),
      events.refunded(atMs + second),
    ]);
    await sendAllToStripe(server, [events.invoicePaid(atMs + 2 * second, invoice)]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject({ status: becomes });
  });
});

describe('at Lemon Squeezy', () => {
  it('a refund that came before its subscription is applied, even after many others that match none', async () => {
    const purchase = newLemonPurchase(newEmail());
    const events = lemonEvents(purchase);
    for (let count = 0; count < 25; count++) {
      await sendLemon(
        server,
        lemonEvents({ ...newLemonPurchase(purchase.email), customer: purchase.customer }).orderRefunded(server.now()),
      );
    }
    await sendAllToLemon(server, [
      events.orderRefunded(server.now() + second),
      events.subscription('subscription_created', server.now()),
    ]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(ended);
  });

  it.each(['order', 'payment'] as const)('a full refund of the %s ends access at once', async (kind) => {
    const purchase = newLemonPurchase(newEmail());
    const events = lemonEvents(purchase);
    const atMs = server.now();
    await sendAllToLemon(server, [events.subscription('subscription_created', atMs)]);
    const refund = (fields: Json) =>
      kind === 'order' ? events.orderRefunded(atMs, fields) : events.paymentRefunded(atMs, fields);
    await sendAllToLemon(server, [refund({ status: 'partial_refund', refunded: false, refunded_at: null })]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(active);
    await sendAllToLemon(server, [refund({})]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(ended);
  });

  it('the outcome is the same in whatever order the events arrive, even repeated', async () => {
    const startMs = server.now() - 32 * day;
    for (const { refundDays, becomes } of [
      { refundDays: 10, becomes: active },
      { refundDays: 31, becomes: ended },
    ]) {
      for (const order of permutationsOf(['created', 'renewed', 'paid', 'refund'] as const)) {
        const purchase = newLemonPurchase(newEmail());
        const events = lemonEvents(purchase);
        const of = {
          created: events.subscription('subscription_created', startMs),
          renewed: events.subscription('subscription_updated', startMs + 30 * day),
          paid: events.paymentSuccess(startMs + 30 * day),
          refund:
            refundDays < 30
              ? events.orderRefunded(startMs + refundDays * day)
              : events.paymentRefunded(startMs + refundDays * day),
        };
        const sent = order.map((kind) => of[kind]);
        await sendAllToLemon(server, sent);
        expect(await subscriptionOf(server, purchase.email), order.join()).toMatchObject(becomes);
        await sendAllToLemon(server, sent);
        expect(await subscriptionOf(server, purchase.email), `${order.join()} twice`).toMatchObject(becomes);
      }
    }
  });

  it('the refund of another order of the customer ends nothing', async () => {
    const purchase = newLemonPurchase(newEmail());
    const atMs = server.now();
    await sendAllToLemon(server, [lemonEvents(purchase).subscription('subscription_created', atMs)]);
    const other = newLemonPurchase(purchase.email, { customer: purchase.customer });
    await sendAllToLemon(server, [lemonEvents(other).orderRefunded(atMs)]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(active);
  });
});

describe('billing list', () => {
  const listed = async (eventId: string) =>
    ((await server.admin('billing', 'list')) as unknown as readonly Json[]).find(
      ({ event_id }) => event_id === eventId,
    );

  it('shows the outcome and the email for a customer, a payment and a refund', async () => {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase);
    const atMs = server.now();
    const checkout = events.checkoutCompleted(atMs);
    const paid = events.invoicePaid(atMs);
    const refund = events.refunded(atMs + second);
    const all = [events.subscription('created', atMs), checkout, paid, events.invoicePaymentPaid(atMs), refund];
    await sendAllToStripe(server, all);
    const { email } = purchase;
    expect(await listed(checkout.id)).toMatchObject({ state: 'ignored', reason: null, email });
    expect(await listed(paid.id)).toMatchObject({ state: 'applied', reason: null });
    expect(await listed(refund.id)).toMatchObject({ state: 'applied', reason: null, email });
  });

  it('shows that a payment dated ahead is waiting, without giving anything back', async () => {
    const events = stripeEvents(newStripePurchase(newEmail()));
    const paid = events.invoicePaid(server.now() + hour);
    await sendAllToStripe(server, [events.subscription('created', server.now()), paid]);
    expect(await listed(paid.id)).toMatchObject({ state: 'dead_letter', reason: expect.stringContaining('ahead') });
  });

  it('shows that the end of an unknown subscription without a plan is waiting for its plan', async () => {
    const events = stripeEvents(newStripePurchase(newEmail(), { price: 'price_other' }));
    const ended = events.subscription('deleted', server.now(), server.now() - 40 * day, 'canceled');
    await sendAllToStripe(server, [ended]);
    expect(await listed(ended.id)).toMatchObject({ state: 'dead_letter', reason: 'No plan is set for this price.' });
  });
});

describe('a refund', () => {
  it('signed with another secret is refused and changes nothing', async () => {
    const atMs = server.now();
    const [atStripe, atLemon] = [newStripePurchase(newEmail()), newLemonPurchase(newEmail())];
    await sendAllToStripe(server, [stripeEvents(atStripe).subscription('created', atMs)]);
    await sendAllToLemon(server, [lemonEvents(atLemon).subscription('subscription_created', atMs)]);
    expect(await sendStripe(server, stripeEvents(atStripe).refunded(atMs), 'whsec_other')).toBe(401);
    expect(await sendLemon(server, lemonEvents(atLemon).orderRefunded(atMs), 'other')).toBe(401);
    expect(await subscriptionOf(server, atStripe.email)).toMatchObject(active);
    expect(await subscriptionOf(server, atLemon.email)).toMatchObject(active);
  });

  it('dated ahead changes nothing and is kept', async () => {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase);
    await sendAllToStripe(server, [events.subscription('created', server.now()), events.refunded(server.now() + hour)]);
    expect(await subscriptionOf(server, purchase.email)).toMatchObject(active);
    expect(await listKept(purchase.charge)).toMatchObject([{ reason: expect.stringContaining('ahead') }]);
  });

  it.each([
    { type: 'charge.refunded', object: { id: 'ch_1' }, reason: 'The charge cannot be understood.' },
    { type: 'charge.dispute.closed', object: { status: 'lost' }, reason: 'The dispute cannot be understood.' },
    { type: 'charge.succeeded', object: { id: 'ch_1' }, reason: 'The charge cannot be understood.' },
    { type: 'invoice.paid', object: { id: 7 }, reason: 'The invoice cannot be understood.' },
    {
      type: 'invoice.payment_succeeded',
      object: { object: 'order', id: 7 },
      reason: 'The type of the event is not known.',
    },
    { type: 'invoice_payment.paid', object: {}, reason: 'The payment of the invoice cannot be understood.' },
  ])('from Stripe that cannot be understood is kept: $type', async ({ type, object, reason }) => {
    const event = { id: `evt_${type}`, type, created: Math.floor(server.now() / 1000), data: { object } };
    expect(await sendStripe(server, event)).toBe(200);
    const [kept] = (await server.admin('billing', 'list', '--limit', '1')) as unknown as readonly Json[];
    expect(kept).toMatchObject({ state: 'dead_letter', reason });
  });
});
