/** The generic billing webhook: whose subscription it changes, and what it refuses. Transport: inject. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { minute } from '../../harness/fake-clock.ts';
import { sharedApp, startApp, startTestApp } from '../../harness/start-app.ts';
import { removeFolder } from '../../harness/temporary-folder.ts';
import type { Json } from '../../harness/test-server.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';
import { billingSecret, newEventId, sendEvent, subscriptionEvent } from './billing-events.ts';

const server = sharedApp({ LATCHKEY_BILLING_SECRET: billingSecret });

const statusOf = async (token: string) => (await server.call('subscriptionStatus', { token })).body;
const listBilling = async (...words: string[]) =>
  (await server.admin('billing', 'list', ...words)) as unknown as readonly Json[];
/** Builds an event of an unknown type with a list in a list, and so on. */
const nestedEvent = (levels: number) =>
  `{"type":"other","data":{"email":"a@b.example","list":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
const findBilling = async (eventId: string) => (await listBilling()).find((event) => event.event_id === eventId);

describe('an event of the billing webhook', () => {
  it('sets the subscription of its account, and is recorded in the audit log', async () => {
    const user = await signUp(server);
    const { status, body } = await sendEvent(
      server,
      subscriptionEvent(server.now(), {
        email: user.email.toUpperCase(),
        plan: 'advanced',
        cancel_at_period_end: true,
      }),
    );
    expect({ status, body }).toStrictEqual({ status: 200, body: { success: true } });
    expect(await statusOf(user.token)).toMatchObject({
      has_subscription: true,
      subscription: {
        plan: 'advanced',
        status: 'active',
        current_period_start: '2026-01-01T00:00:00.000Z',
        current_period_end: '2126-01-01T00:00:00.000Z',
        cancel_at_period_end: true,
      },
      features: { custom_preprocessing: true },
    });
    const [entry] = (await server.admin('audit', 'list', '--limit', '1')) as unknown as readonly Json[];
    expect(entry).toMatchObject({
      actor: 'billing webhook',
      action: 'billing.apply',
      target: `subscription ${user.email}`,
      details: { plan: 'advanced', status: 'active', event: 'subscription.updated' },
    });
  });

  it('creates an account without a password if there is none, and nobody can sign in to it', async () => {
    const email = newEmail();
    await sendEvent(server, subscriptionEvent(server.now(), { email }));
    expect(await server.admin('user', 'show', email)).toMatchObject({ email });
    for (const password of ['', goodPassword]) {
      const { status, body } = await server.call('login', { body: { email, password } });
      expect([status, body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    }
    expect((await server.call('signup', { body: { email, password: goodPassword } })).body.code).toBe('EMAIL_EXISTS');
  });

  it('changes nothing when it is sent again', async () => {
    const user = await signUp(server);
    const [id, event] = [newEventId(), subscriptionEvent(server.now(), { email: user.email })];
    await sendEvent(server, event, { id });
    await server.admin('subscription', 'set', user.email, '--plan', 'advanced');
    expect((await sendEvent(server, event, { id })).status).toBe(200);
    expect(await statusOf(user.token)).toMatchObject({ subscription: { plan: 'advanced' } });
    // The same id with different content also counts as a repetition.
    await sendEvent(server, subscriptionEvent(server.now(), { email: user.email, status: 'canceled' }), { id });
    expect(await statusOf(user.token)).toMatchObject({ subscription: { status: 'active' } });
  });

  it('changes nothing if a later event was applied before, and is applied if it is not older', async () => {
    const { email, token } = await signUp(server);
    const atMs = server.now();
    await sendEvent(server, subscriptionEvent(atMs, { email, plan: 'advanced' }));
    const id = newEventId();
    expect((await sendEvent(server, subscriptionEvent(atMs - 1, { email, status: 'canceled' }), { id })).status).toBe(
      200,
    );
    expect(await statusOf(token)).toMatchObject({ subscription: { plan: 'advanced', status: 'active' } });
    expect(await findBilling(id)).toMatchObject({ state: 'outdated', payload: null });
    await sendEvent(server, subscriptionEvent(atMs, { email, status: 'past_due' }));
    expect(await statusOf(token)).toMatchObject({ subscription: { plan: 'standard', status: 'past_due' } });
  });

  it('overrides a subscription set by staff, and ends it; an older event stays outdated after staff set one', async () => {
    const { email, token } = await signUp(server);
    const atMs = server.now();
    await server.admin('subscription', 'set', email, '--plan', 'advanced');
    await sendEvent(server, subscriptionEvent(atMs, { email, plan: 'standard' }));
    expect(await statusOf(token)).toMatchObject({ subscription: { plan: 'standard' } });
    await server.admin('subscription', 'set', email, '--plan', 'advanced');
    await sendEvent(server, subscriptionEvent(atMs - 1, { email, plan: 'standard' }));
    expect(await statusOf(token)).toMatchObject({ subscription: { plan: 'advanced' } });
    await sendEvent(server, subscriptionEvent(atMs + 1, { email, status: 'canceled' }));
    expect(await statusOf(token)).toMatchObject({ subscription: { status: 'canceled' } });
  });

  it('does not make older events outdated if it was not applied itself', async () => {
    const { email, token } = await signUp(server);
    const atMs = server.now();
    await sendEvent(server, subscriptionEvent(atMs + 1000, { email, plan: 'no-such-plan' }));
    await sendEvent(server, subscriptionEvent(atMs, { email }));
    expect(await statusOf(token)).toMatchObject({ subscription: { plan: 'standard', status: 'active' } });
  });
});

describe('an event that cannot be applied', () => {
  it('is kept if it is dated more than 5 minutes ahead, outdates no later event, and can be retried in time', async () => {
    const { email, token } = await signUp(server);
    const [farAhead, ahead] = [newEventId(), newEventId()];
    const atMs = server.now() + 5 * minute + 1000;
    const canceled = { email, status: 'canceled' };
    expect((await sendEvent(server, subscriptionEvent(Date.UTC(9999, 0, 1), canceled), { id: farAhead })).status).toBe(
      200,
    );
    await sendEvent(server, subscriptionEvent(atMs, { email, plan: 'advanced' }), { id: ahead });
    const reason = 'The event is dated more than 5 minutes ahead of the clock of the server.';
    expect(await findBilling(farAhead)).toMatchObject({ state: 'dead_letter', reason, email });
    const kept = await findBilling(ahead);
    expect(kept).toMatchObject({ state: 'dead_letter', reason, email });
    await sendEvent(server, subscriptionEvent(server.now() + 5 * minute, { email }));
    expect(await statusOf(token)).toMatchObject({ subscription: { plan: 'standard', status: 'active' } });
    server.clock.advance(1000);
    expect(await server.admin('billing', 'retry', String(kept?.id))).toMatchObject({ state: 'applied' });
    expect(await statusOf(token)).toMatchObject({ subscription: { plan: 'advanced', status: 'active' } });
  });

  it('is kept if its type is unknown', async () => {
    const id = newEventId();
    const event = {
      type: 'invoice.paid',
      timestamp: '2026-01-01T00:00:00Z',
      data: { total: 3, email: 'ada@example.com' },
    };
    expect((await sendEvent(server, event, { id })).body).toStrictEqual({ success: true });
    expect(await findBilling(id)).toMatchObject({
      provider: 'webhook',
      type: 'invoice.paid',
      state: 'dead_letter',
      reason: 'The type of the event is not known.',
      email: 'ada@example.com',
      event_at: '2026-01-01T00:00:00.000Z',
      payload: event,
    });
  });

  it('is kept with a list in a list, 90 levels deep', async () => {
    const id = newEventId();
    expect((await sendEvent(server, nestedEvent(90), { id })).status).toBe(200);
    expect(await findBilling(id)).toMatchObject({ payload: JSON.parse(nestedEvent(90)) });
  });

  it('is kept if its plan is unknown, and applied by a retry once the plan has been added', async () => {
    const email = newEmail();
    const id = newEventId();
    await sendEvent(server, subscriptionEvent(server.now(), { email, plan: 'platinum' }), { id });
    const kept = await findBilling(id);
    expect(kept).toMatchObject({ state: 'dead_letter', reason: 'There is no plan named "platinum".', email });
    await expect(server.services.accounts.getByEmail(email)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
    await expect(server.admin('billing', 'retry', String(kept?.id)), 'still kept').rejects.toThrow('no plan named');
    await server.admin('plan', 'set', 'platinum');
    const retried = await server.admin('billing', 'retry', String(kept?.id));
    expect(retried).toMatchObject({ id: kept?.id, state: 'applied', reason: null, payload: null });
    const { id: userId } = await server.services.accounts.getByEmail(email);
    expect(await server.services.subscriptions.get(userId)).toMatchObject({ plan: 'platinum' });
    expect((await listBilling('--state', 'dead_letter')).map((event) => event.id)).not.toContain(kept?.id);
    const entries = (await server.admin('audit', 'list')) as unknown as readonly Json[];
    expect(
      entries.filter(({ action, target }) => action === 'billing.retry' && target === `billing_event ${id}`),
    ).toEqual(Array.from({ length: 2 }, () => expect.objectContaining({ details: { type: 'subscription.updated' } })));
    // There is nothing left to do.
    expect(await server.admin('billing', 'retry', String(kept?.id))).toMatchObject({ state: 'applied' });
  });
});

describe('a kept event', () => {
  it('stays kept while the secret of its provider is not set, and a retry is answered with CONFLICT', async () => {
    const before = await startApp({ LATCHKEY_BILLING_SECRET: billingSecret });
    await sendEvent(before, { type: 'invoice.paid', timestamp: '2026-01-01T00:00:00Z', data: {} });
    await before.stop();
    const after = await startApp({}, before);
    const [event] = (await after.admin('billing', 'list')) as unknown as readonly Json[];
    const retried = after.services.billing.retry(String(event?.id), byCommand);
    await expect(retried).rejects.toMatchObject({ code: 'CONFLICT', message: 'The secret of webhook is not set.' });
    expect(await after.admin('billing', 'list')).toMatchObject([{ id: event?.id, state: 'dead_letter' }]);
    await after.stop();
    removeFolder(after.dataFolder);
  });

  it('can be dismissed once, loses its payload, and is not retried afterwards', async () => {
    const id = newEventId();
    await sendEvent(server, { type: 'invoice.paid', timestamp: '2026-01-01T00:00:00Z', data: {} }, { id });
    const kept = String((await findBilling(id))?.id);
    const dismissed = { id: kept, state: 'ignored', reason: 'The type of the event is not known.', payload: null };
    expect(await server.admin('billing', 'dismiss', kept)).toMatchObject(dismissed);
    expect(await server.admin('billing', 'dismiss', kept)).toMatchObject(dismissed);
    expect(await server.admin('billing', 'retry', kept)).toMatchObject(dismissed);
    const entries = (await server.admin('audit', 'list')) as unknown as { action: string; target: string }[];
    expect(entries.filter(({ action }) => action === 'billing.dismiss')).toMatchObject([
      { target: `billing_event ${id}`, details: { type: 'invoice.paid' } },
    ]);
    await expect(server.admin('billing', 'dismiss', 'none')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no billing event with this id.',
    });
  });
});

describe('a request to the billing webhook', () => {
  const event = () => subscriptionEvent(server.now(), { email: newEmail() });
  const otherSecret = `whsec_${randomBytes(32).toString('base64')}`;

  it.each([
    { what: 'signed with another secret', sending: () => ({ secret: otherSecret }) },
    { what: 'signed more than 5 minutes ago', sending: () => ({ atMs: server.now() - 5 * minute - 1000 }) },
    { what: 'signed more than 5 minutes ahead', sending: () => ({ atMs: server.now() + 5 * minute + 1000 }) },
    { what: 'with another id than the signed one', sending: () => ({ headers: { 'webhook-id': 'msg_other' } }) },
    {
      what: 'with another time than the signed one',
      sending: () => ({ headers: { 'webhook-timestamp': '1767225600' } }),
    },
    { what: 'with an empty signature', sending: () => ({ headers: { 'webhook-signature': '' } }) },
    { what: 'with a signature of another version', sending: () => ({ headers: { 'webhook-signature': 'v1a,AAAA' } }) },
  ])('$what is refused', async ({ sending }) => {
    const { status, body } = await sendEvent(server, event(), sending());
    expect([status, body.code]).toEqual([401, 'INVALID_TOKEN']);
  });

  it('that is refused is logged at most every ten minutes, with the setting to compare', async () => {
    const app = await startTestApp({ LATCHKEY_BILLING_SECRET: billingSecret });
    const countWarnings = () => app.logText().match(/compare LATCHKEY_BILLING_SECRET with its secret/g)?.length ?? 0;
    await sendEvent(app, event());
    expect(countWarnings()).toBe(0);
    for (let i = 0; i < 3; i++) {
      const { body } = await sendEvent(app, event(), { secret: otherSecret });
      expect(body.error).toBe('The signature of the webhook is not valid.');
    }
    expect(countWarnings()).toBe(1);
    expect(app.logText()).toContain('"provider":"webhook"');
    app.clock.advance(10 * minute);
    await sendEvent(app, event(), { secret: otherSecret });
    expect(countWarnings()).toBe(2);
  });

  it('is accepted up to 5 minutes late, and with several signatures of which one is right', async () => {
    const text = JSON.stringify(event());
    const right = await sendEvent(server, text, { atMs: server.now() - 5 * minute + 1000 });
    expect(right.status).toBe(200);
    const { Webhook } = await import('standardwebhooks');
    const id = newEventId();
    const signature = new Webhook(billingSecret).sign(id, new Date(server.now()), text);
    const headers = { 'webhook-signature': `v1a,AAAA v1,${'A'.repeat(43)}= ${signature}` };
    expect((await sendEvent(server, text, { id, headers })).status).toBe(200);
  });

  it.each([
    { what: 'is not JSON', body: '{' },
    { what: 'is no object', body: '[]', message: 'The body must be a JSON object.' },
    { what: 'has no type', body: '{}', message: 'type is missing or not valid.' },
    {
      what: 'is nested more deeply than it could be shown',
      body: nestedEvent(50_000),
      message: 'The body is nested too deeply.',
    },
    { what: 'has no email', body: JSON.stringify(subscriptionEvent(0, { email: '' })) },
    { what: 'has NUL in its email', body: JSON.stringify(subscriptionEvent(0, { email: 'a\0@example.com' })) },
    {
      what: 'has an unknown status',
      body: JSON.stringify(subscriptionEvent(0, { email: 'a@b.example', status: 'x' })),
    },
    {
      what: 'has no time',
      body: JSON.stringify({ ...subscriptionEvent(0, { email: 'a@b.example' }), timestamp: 'now' }),
    },
    {
      what: 'has a time before 1970',
      body: JSON.stringify(subscriptionEvent(-1, { email: 'a@b.example' })),
      message: 'timestamp is missing or not valid.',
    },
    {
      what: 'has a time that is too late',
      body: JSON.stringify(subscriptionEvent(Date.UTC(9999, 11, 31), { email: 'a@b.example' })),
      message: 'timestamp is missing or not valid.',
    },
    {
      what: 'has an end that is not a time',
      body: JSON.stringify(subscriptionEvent(0, { email: 'a@b.example', current_period_end: '2027' })),
      message: 'data.current_period_end is missing or not valid.',
    },
  ])('whose body $what gets VALIDATION_ERROR', async ({ body, message = expect.any(String) }) => {
    const response = await sendEvent(server, body);
    expect([response.status, response.body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(response.body.error).toEqual(message);
  });

  it('with the earliest time, that of 1970, is accepted', async () => {
    const email = newEmail();
    expect((await sendEvent(server, subscriptionEvent(0, { email }))).status).toBe(200);
    expect(await server.admin('user', 'show', email)).toMatchObject({ email });
  });

  it.each(['stripe', 'lemonsqueezy'])('of a provider whose secret is not set gets 404: %s', async (provider) => {
    expect((await server.request('POST', `/api/v1/billing/${provider}`, { body: {} })).status).toBe(404);
  });
});
