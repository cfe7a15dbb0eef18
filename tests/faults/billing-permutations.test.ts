/**
 * Row 22 of the matrix: a year of Stripe and Lemon Squeezy events about one customer each, in any order and partly
 * duplicated, leads to the one correct final state. Transport: inject.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { day, hour } from '../harness/fake-clock.ts';
import { sharedApp } from '../harness/start-app.ts';
import { newEmail } from '../harness/users.ts';
import {
  lemonEvents,
  newLemonPurchase,
  newStripePurchase,
  providerSettings,
  sendLemon,
  sendStripe,
  stripeEvents,
} from '../server/billing/provider-events.ts';
import { amount, reportFigures, rowTimeout, runsOf } from './matrix-run.ts';

const row = 22;
const server = sharedApp(providerSettings);
const month = 30 * day;
const months = 12;

type Event = { readonly send: () => Promise<number>; readonly what: string };

/**
 * Returns the events of a subscription that renews monthly, is paid late once, has one month refunded and changes its
 * plan midway; `ends` says whether it is canceled.
 */
function yearAtStripe(email: string, ends: boolean): Event[] {
  const startMs = server.now() - (months - 1) * month - day;
  const purchase = newStripePurchase(email);
  const upgraded = { ...purchase, price: 'price_advanced' };
  const ofMonth = (index: number) => {
    const atMs = startMs + index * month;
    const ids = index === 0 ? {} : { invoice: `${purchase.invoice}_${index}`, charge: `${purchase.charge}_${index}` };
    const events = stripeEvents({
      ...(index < 6 ? purchase : upgraded),
      ...ids,
      paymentIntent: `${purchase.paymentIntent}_${index}`,
    });
    const kind = index === 0 ? 'created' : 'updated';
    const late = index === 8 ? [events.subscription('updated', atMs, atMs, 'past_due')] : [];
    const paidMs = index === 8 ? atMs + 3 * day : atMs + hour;
    const refund = index === 3 ? [events.refunded(atMs + 2 * day)] : [];
    return [
      ...late,
      events.subscription(kind, paidMs, atMs),
      events.invoicePaid(paidMs),
      events.invoicePaymentPaid(paidMs),
      ...refund,
    ];
  };
  const all = Array.from({ length: months }, (_, index) => ofMonth(index)).flat();
  const deleted = stripeEvents(upgraded).subscription(
    'deleted',
    server.now() - hour,
    startMs + (months - 1) * month,
    'canceled',
  );
  const sent: readonly { readonly type: string }[] = ends ? [...all, deleted] : all;
  return sent.map((event) => ({ send: () => sendStripe(server, event), what: `stripe ${event.type}` }));
}

function yearAtLemonSqueezy(email: string, ends: boolean): Event[] {
  const startMs = server.now() - (months - 1) * month - day;
  const purchase = newLemonPurchase(email);
  const ofMonth = (index: number) => {
    const events = lemonEvents(index < 6 ? purchase : { ...purchase, variant: 12 });
    const atMs = startMs + index * month;
    const name = index === 0 ? 'subscription_created' : 'subscription_updated';
    const late = index === 8 ? [events.subscription('subscription_updated', atMs, atMs, { status: 'past_due' })] : [];
    const paidMs = index === 8 ? atMs + 3 * day : atMs + hour;
    const refund = index === 3 ? [events.paymentRefunded(atMs + 2 * day)] : [];
    return [...late, events.subscription(name, paidMs, atMs), events.paymentSuccess(paidMs), ...refund];
  };
  const all = Array.from({ length: months }, (_, index) => ofMonth(index)).flat();
  const atMs = server.now() - hour;
  const expired = lemonEvents({ ...purchase, variant: 12 }).subscription('subscription_expired', atMs, startMs, {
    status: 'expired',
    ends_at: new Date(atMs).toISOString(),
  });
  return [...all, ...(ends ? [expired] : [])].map((event) => ({
    send: () => sendLemon(server, event),
    what: `lemonsqueezy ${event.meta.event_name}`,
  }));
}

/** Returns the final state of the account. */
async function endOf(email: string) {
  const { id } = await server.services.accounts.getByEmail(email);
  const subscription = await server.services.subscriptions.get(id);
  return { plan: subscription?.plan, status: subscription?.status, access: subscription?.gives_access };
}

const active = { plan: 'advanced', status: 'active', access: true };
const endedAtStripe = { plan: 'advanced', status: 'canceled', access: false };
const endedAtLemonSqueezy = { plan: 'advanced', status: 'expired', access: false };

describe('the events of a year', () => {
  it('lead to the same final state in any order, even with duplicates', { timeout: rowTimeout() }, async () => {
    let sent = 0;
    const cases = [
      { makeYear: yearAtStripe, ends: false, end: active },
      { makeYear: yearAtStripe, ends: true, end: endedAtStripe },
      { makeYear: yearAtLemonSqueezy, ends: false, end: active },
      { makeYear: yearAtLemonSqueezy, ends: true, end: endedAtLemonSqueezy },
    ];
    for (const { makeYear, ends, end } of cases) {
      const email = newEmail();
      for (const { send } of makeYear(email, ends)) expect(await send()).toBe(200);
      expect(await endOf(email), 'in the order in which they happened').toStrictEqual(end);
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cases),
        fc.array(fc.nat(1_000_000), { minLength: 60, maxLength: 60 }),
        fc.array(fc.nat(1_000_000), { maxLength: 10 }),
        async ({ makeYear, ends, end }, places, again) => {
          const email = newEmail();
          const year = makeYear(email, ends);
          const repeated = again.flatMap((at) => year[at % year.length] ?? []);
          const order = [...year, ...repeated]
            .map((event, index) => ({ event, place: places[index] ?? 0 }))
            .sort((left, right) => left.place - right.place);
          for (const { event } of order) expect(await event.send(), event.what).toBe(200);
          sent += order.length;
          expect(await endOf(email), order.map(({ event }) => event.what).join(', ')).toStrictEqual(end);
        },
      ),
      { ...runsOf(row), endOnFailure: true },
    );
    reportFigures(row, {
      amount: `${amount(row)} orders`,
      figures: { 'events sent': sent, 'final states': cases.length },
    });
  });
});
