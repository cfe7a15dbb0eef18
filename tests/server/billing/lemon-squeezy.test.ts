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

  it.each([
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
  ])('$what is kept', async ({ data, reason }) => {
    const event = { ...lemonEvent('something', {}), data };
    expect(await sendLemon(server, event)).toBe(200);
    expect(await newest()).toMatchObject({ provider: 'lemonsqueezy', type: 'something', state: 'dead_letter', reason });
  });

  it.each(['', '00', 'f'.repeat(64), 'not hex'])('with the signature %j is refused', async (signature) => {
    const request = { body: lemonEvent('subscription_created', {}), headers: { 'x-signature': signature } };
    const { status, body } = await server.request('POST', '/api/v1/billing/lemonsqueezy', request);
    expect([status, body.code]).toEqual([401, 'INVALID_TOKEN']);
  });
});
