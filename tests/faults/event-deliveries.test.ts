/** Events that are sent while processes start, run concurrently and are killed. Transport: HTTP, on either database. */
import { describe, expect, it } from 'vitest';
import type { Admin } from '../harness/admin.ts';
import { inTurn } from '../harness/deployments.ts';
import { startEventReceiver, verifyAll } from '../harness/event-receiver.ts';
import { startHttpServer } from '../harness/http-server.ts';
import { createAdmin } from '../harness/test-admin.ts';
import { stringIn } from '../harness/test-client.ts';
import type { Json } from '../harness/test-server.ts';
import { activate, inTime, issueLicense, newDeviceId, newEmail, signUp, subscriber } from '../harness/users.ts';
import { describeEachDatabase } from '../server/audit/databases.ts';
import { billingSecret, newEventId, sendEvent, subscriptionEvent } from '../server/billing/billing-events.ts';

const settings = { LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1', LATCHKEY_BILLING_SECRET: billingSecret };
const polling = { interval: 100 };
/** Polling options for the output of an admin command, which takes a large part of a second of CPU time. */
const rarely = { interval: 1000 };

describeEachDatabase((database) => {
  const configured = async (): Promise<Admin> => {
    const { folder, settings: ofDatabase } = await database.createAdmin();
    return createAdmin({ ...ofDatabase, ...settings }, folder);
  };

  /** Adds a receiver, by default for the one type of event that `subscriber` causes. */
  async function addReceiver(admin: Admin, words: readonly string[] = ['--event', 'subscription.changed']) {
    const receiver = await startEventReceiver();
    const added = await admin.json<Json>(['webhook', 'add', receiver.url, ...words]);
    return { receiver, id: stringIn(added, 'id'), secret: stringIn(added, 'secret') };
  }

  describe('events', () => {
    it('are sent for every kind of change, made by requests or by commands', async () => {
      const admin = await configured();
      const { receiver, secret, id } = await addReceiver(admin, []);
      const server = await startHttpServer(admin);
      const user = await subscriber(server);
      const license = await issueLicense(server);
      const { activationId } = await activate(server, user, license.key);
      await server.call('releaseActivation', { token: user.token, at: activationId });
      await admin.json(['license', 'set', license.id, '--status', 'revoked']);
      for (const body of [{}, { regenerate: true }]) await server.call('apiKey', { token: user.token, body });
      await server.call('heartbeat', { token: user.token, body: { device_id: newDeviceId() } });
      await expect.poll(() => receiver.received.length, polling).toBe(8);
      const events = verifyAll(receiver, secret);
      expect(events.map(({ type }) => type).sort()).toEqual([
        'account.created',
        'api_key.regenerated',
        'device.suspicious',
        'license.activated',
        'license.issued',
        'license.released',
        'license.revoked',
        'subscription.changed',
      ]);
      const account = { account_id: user.id, email: user.email };
      for (const { type, data } of events) if (type !== 'license.issued') expect(data).toMatchObject(account);
      const states = async () => (await admin.json<Json[]>(['webhook', 'deliveries', id])).map(({ state }) => state);
      await expect.poll(states, rarely).toEqual(Array.from({ length: 8 }, () => 'delivered'));
    });

    it('whose server was killed while sending them are sent by the next one', async () => {
      const admin = await configured();
      const { receiver, secret } = await addReceiver(admin);
      receiver.answer = 'nothing';
      const first = await startHttpServer(admin);
      const user = await subscriber(first);
      await expect.poll(() => receiver.received.length, polling).toBe(1);
      await first.process.kill();
      receiver.answer = 200;
      await startHttpServer(admin);
      await expect.poll(() => receiver.received.length, polling).toBe(2);
      const [lost, sent] = verifyAll(receiver, secret);
      expect(sent).toStrictEqual(lost);
      expect(sent?.data.email).toBe(user.email);
      expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
    });

    it('without a response do not prevent a server from stopping', async () => {
      const admin = await configured();
      const { receiver, id } = await addReceiver(admin);
      receiver.answer = 'nothing';
      const server = await startHttpServer(admin);
      await subscriber(server);
      await expect.poll(() => receiver.received.length, polling).toBe(1);
      expect(await server.stop()).toMatchObject({ code: 0 });
      const [delivery] = await admin.json<Json[]>(['webhook', 'deliveries', id]);
      expect(delivery).toMatchObject({ state: 'pending', attempts: 1, error: 'the server was stopped' });
    });

    it('without a response within 10 seconds are retried', async () => {
      const admin = await configured();
      const { receiver, id } = await addReceiver(admin);
      receiver.answer = 'nothing';
      const server = await startHttpServer(admin);
      await subscriber(server);
      const newest = async () => (await admin.json<Json[]>(['webhook', 'deliveries', id]))[0];
      await expect.poll(() => receiver.received.length, polling).toBe(1);
      // Before the next attempt, however long the following command takes.
      receiver.answer = 200;
      await expect.poll(newest, rarely).toMatchObject({ state: 'pending', error: 'no response within 10 s' });
      await expect.poll(newest, rarely).toMatchObject({ state: 'delivered', attempts: 2 });
    });

    it('are sent only once by two processes', async () => {
      const admin = await configured();
      const { receiver, id } = await addReceiver(admin);
      const servers = [await startHttpServer(admin), await startHttpServer(admin)];
      const events = 60;
      for (let count = 0; count < events; count += 1) {
        const server = servers[count % servers.length];
        if (server) await sendEvent(server, subscriptionEvent(Date.now(), { email: newEmail() }));
      }
      const states = async () =>
        (await admin.json<Json[]>(['webhook', 'deliveries', id])).map(({ state, attempts }) => `${state} ${attempts}`);
      await expect.poll(states, rarely).toEqual(Array.from({ length: events }, () => 'delivered 1'));
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(ids).toHaveLength(events);
      expect(new Set(ids).size).toBe(events);
    });
  });

  describe('events of a billing provider', () => {
    it('that arrive concurrently at two processes are applied once, to one account, and in order', async () => {
      const admin = await configured();
      const servers = [await startHttpServer(admin), await startHttpServer(admin)];
      const [email, atMs] = [newEmail(), Date.now()];
      const messages = Array.from({ length: 10 }, (_, index) => {
        const plan = index % 2 === 0 ? 'standard' : 'advanced';
        return { id: newEventId(), event: subscriptionEvent(atMs + index * 1000, { email, plan }) };
      });
      const twice = [...messages, ...messages].sort(() => Math.random() - 0.5);
      const responses = await Promise.all(
        twice.map(({ id, event }, index) => inTime(() => sendEvent(inTurn(servers, index), event, { id }))),
      );
      expect(responses.map(({ status }) => status)).toEqual(twice.map(() => 200));
      expect(await admin.json(['user', 'list'])).toMatchObject([{ email }]);
      const [server] = servers;
      expect((await server?.call('login', { body: { email, password: '' } }))?.status).toBe(401);
      const listed = await admin.json<Json[]>(['billing', 'list']);
      expect(listed.map(({ event_id }) => event_id).sort()).toEqual(messages.map(({ id }) => id).sort());
      expect(new Set(listed.map(({ state }) => state))).not.toContain('dead_letter');
      // The license gets the plan of its owner's subscription.
      expect(await admin.json(['license', 'issue', '--email', email])).toMatchObject({ license: { plan: 'advanced' } });
    });

    it('are kept if their plan does not exist, and applied when retried once it does', async () => {
      const admin = await configured();
      const server = await startHttpServer(admin);
      const user = await signUp(server);
      await sendEvent(server, subscriptionEvent(Date.now(), { email: user.email, plan: 'gold' }));
      const [kept] = await admin.json<Json[]>(['billing', 'list', '--state', 'dead_letter']);
      expect(kept).toMatchObject({ email: user.email, reason: 'There is no plan named "gold".' });
      await admin.json(['plan', 'set', 'gold']);
      expect(await admin.json(['billing', 'retry', String(kept?.id)])).toMatchObject({ state: 'applied' });
      const { body } = await server.call('subscriptionStatus', { token: user.token });
      expect(body).toMatchObject({ subscription: { plan: 'gold' } });
    });
  });
});
