/** Which changes are sent to a webhook endpoint, and what a receiver gets. Transport: inject; receivers are real. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { type EventReceiver, startEventReceiver, verifyAll } from '../../harness/event-receiver.ts';
import { timestamp, uuid } from '../../harness/response-shapes.ts';
import { auditActions } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { createAdmin } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import type { Json } from '../../harness/test-server.ts';
import { activate, issueLicense, newDeviceId, signUp, subscriber, type User } from '../../harness/users.ts';

type Setup = {
  readonly server: TestApp;
  readonly receiver: EventReceiver;
  readonly id: string;
  readonly secret: string;
};

const allowed = { LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1' };

async function setUp(...words: string[]): Promise<Setup> {
  const server = await startTestApp(allowed);
  // The library of Standard Webhooks compares timestamps with the system time.
  server.clock.setNow(Date.now());
  const receiver = await startEventReceiver();
  const added = await server.admin('webhook', 'add', receiver.url, ...words);
  return { server, receiver, id: stringIn(added, 'id'), secret: stringIn(added, 'secret') };
}

async function deliver({ server }: Pick<Setup, 'server'>): Promise<void> {
  const { deliveries } = server.services;
  await deliveries.begin((error) => {
    throw error;
  });
  await deliveries.idle();
}

const list = async (server: TestApp, ...words: string[]) =>
  (await server.admin(...words)) as unknown as readonly Json[];

describe('an endpoint', () => {
  it('gets a signed event without secrets for each change of interest', async () => {
    const setup = await setUp();
    const { server, receiver } = setup;
    const user = await subscriber(server, 'advanced');
    const { key, id: licenseId } = await issueLicense(server, '--plan', 'standard');
    const { deviceId, activationId } = await activate(server, user, key);
    await server.call('releaseActivation', { token: user.token, at: activationId });
    await server.admin('license', 'set', licenseId, '--status', 'revoked');
    const first = await server.call('apiKey', { token: user.token, body: {} });
    const second = await server.call('apiKey', { token: user.token, body: { regenerate: true } });
    const stranger = newDeviceId();
    await server.call('heartbeat', { token: user.token, body: { device_id: stranger } });
    await deliver(setup);

    const events = verifyAll(receiver, setup.secret);
    const account = { account_id: user.id, email: user.email };
    const license = { license_id: licenseId, key_preview: expect.stringMatching(/^SVC-\w{4}\.{3}\w{4}$/) };
    const device = { activation_id: activationId, device_id: deviceId };
    expect(events.sort((a, b) => a.type.localeCompare(b.type))).toStrictEqual(
      [
        { type: 'account.created', data: account },
        {
          type: 'api_key.regenerated',
          data: { ...account, api_key_id: uuid, api_key_prefix: stringIn(second.body, 'api_key').slice(0, 13) },
        },
        {
          type: 'device.suspicious',
          data: { ...account, device_id: stranger, warning: 'This device is not activated on your license.' },
        },
        {
          type: 'license.activated',
          data: {
            ...account,
            ...license,
            ...device,
            plan: 'standard',
            device_name: 'Office computer',
            platform: 'linux',
          },
        },
        {
          type: 'license.issued',
          data: {
            account_id: null,
            email: null,
            ...license,
            plan: 'standard',
            status: 'active',
            max_activations: 3,
            expires_at: null,
            with_subscription: false,
          },
        },
        { type: 'license.released', data: { ...account, ...license, ...device } },
        { type: 'license.revoked', data: { ...account, ...license, plan: 'standard' } },
        {
          type: 'subscription.changed',
          data: {
            ...account,
            subscription_id: uuid,
            plan: 'advanced',
            status: 'active',
            current_period_start: timestamp,
            current_period_end: timestamp,
            cancel_at_period_end: false,
          },
        },
      ].map((event) => ({ ...event, timestamp })),
    );
    const sent = receiver.received.map(({ body }) => body).join();
    for (const secret of [key, stringIn(first.body, 'api_key'), stringIn(second.body, 'api_key'), user.token]) {
      expect(sent).not.toContain(secret);
    }
  });

  it('gets an event for the replacement of a reported key, but not for a first key', async () => {
    const setup = await setUp('--event', 'api_key.regenerated');
    const { server, receiver } = setup;
    const user = await subscriber(server);
    const generate = async () =>
      stringIn((await server.call('apiKey', { token: user.token, body: {} })).body, 'api_key');
    await server.call('reportApiKey', { body: { api_key: await generate() } });
    const next = await generate();
    await deliver(setup);
    const data = { account_id: user.id, email: user.email, api_key_id: uuid, api_key_prefix: next.slice(0, 13) };
    expect(verifyAll(receiver, setup.secret)).toMatchObject([{ type: 'api_key.regenerated', data }]);
  });

  it('has "all" in the list if it gets every type', async () => {
    const admin = createAdmin(allowed);
    await admin.json(['webhook', 'add', 'https://one.example.com']);
    await admin.json(['webhook', 'add', 'https://two.example.com', '--event', 'license.activated']);
    const { stdout } = await admin.runHere(['webhook', 'list']);
    expect(stdout).toMatch(/one\.example\.com\/? +all +0/);
    expect(stdout).toMatch(/two\.example\.com\/? +license\.activated +0/);
  });

  it('gets only the types that it asked for', async () => {
    const setup = await setUp('--event', 'license.activated', '--event', 'license.revoked');
    const { server, receiver } = setup;
    const user = await subscriber(server);
    const { key } = await issueLicense(server);
    await activate(server, user, key);
    await deliver(setup);
    expect(verifyAll(receiver, setup.secret).map(({ type }) => type)).toEqual(['license.activated']);
  });

  it('is told whose license it is, even if staff activate one without an owner for an account', async () => {
    const setup = await setUp('--event', 'license.activated', '--event', 'license.revoked');
    const { server, receiver } = setup;
    const user = await signUp(server);
    const { key, id } = await issueLicense(server);
    const request = { license_key: key, device_id: newDeviceId(), device_name: 'Bench 4', platform: 'linux' };
    const { licenses, licenseChanges } = server.services;
    // The license gets its owner while the revocation waits for its turn to write.
    await Promise.all([
      licenses.activate(user.id, request, byCommand),
      licenseChanges.setStatus(id, { status: 'revoked', as: 'owner' }, byCommand),
    ]);
    await deliver(setup);
    const data = { account_id: user.id, email: user.email, license_id: id };
    const events = verifyAll(receiver, setup.secret).sort((a, b) => a.type.localeCompare(b.type));
    expect(events).toMatchObject([
      { type: 'license.activated', data },
      { type: 'license.revoked', data },
    ]);
  });

  it('gets no event of a failed change, nor of one before it was added', async () => {
    const server = await startTestApp(allowed);
    const receiver = await startEventReceiver();
    const user = await subscriber(server);
    const { key } = await issueLicense(server, '--max-activations', '0');
    await server.admin('webhook', 'add', receiver.url);
    expect((await activate(server, user, key)).response.body.code).toBe('MAX_ACTIVATIONS_REACHED');
    await deliver({ server });
    expect(receiver.received).toEqual([]);
  });

  it('gets an event of a suspicious device once an hour', async () => {
    const setup = await setUp('--event', 'device.suspicious');
    const { server, receiver } = setup;
    const user = await signUp(server);
    await issueLicense(server, '--email', user.email);
    const body = { device_id: newDeviceId() };
    for (let minutes = 0; minutes < 61; minutes += 5) {
      server.clock.advance(5 * 60_000);
      const { token } = { token: stringIn((await server.call('login', { body: user })).body, 'access_token') };
      expect((await server.call('heartbeat', { token, body })).body.warning).toBeDefined();
    }
    await deliver(setup);
    expect(receiver.received).toHaveLength(2);
  });

  it('gets at most ten of them an hour about the devices of one account, which can name any number', async () => {
    const setup = await setUp('--event', 'device.suspicious');
    const { server, receiver } = setup;
    const heartbeat = ({ token }: User) => server.call('heartbeat', { token, body: { device_id: newDeviceId() } });
    const flooding = await signUp(server);
    for (let number = 0; number < 30; number++) await heartbeat(flooding);
    const other = await signUp(server);
    for (let number = 0; number < 2; number++) await heartbeat(other);
    server.clock.advance(60 * 60_000);
    const { body } = await server.call('login', { body: flooding });
    for (let number = 0; number < 2; number++) await heartbeat({ ...flooding, token: stringIn(body, 'access_token') });
    await deliver(setup);
    const accounts = receiver.received.map(({ body }) => JSON.parse(body).data.account_id);
    expect(accounts.filter((id) => id === flooding.id)).toHaveLength(11);
    expect(accounts.filter((id) => id === other.id)).toHaveLength(1);
  });
});

describe('the admin commands', () => {
  it('show the secret once, list the endpoints, and report what was delivered', async () => {
    const setup = await setUp('--event', 'subscription.changed');
    const { server, receiver, id } = setup;
    const [listed] = await list(server, 'webhook', 'list');
    expect(listed).toStrictEqual({
      id,
      url: receiver.url,
      events: ['subscription.changed'],
      created_at: timestamp,
      disabled_at: null,
      disabled_reason: null,
      waiting: 0,
    });
    const user = await subscriber(server);
    expect(await list(server, 'webhook', 'list')).toMatchObject([{ waiting: 1 }]);
    await deliver(setup);
    const [delivery] = await list(server, 'webhook', 'deliveries', id);
    expect(delivery).toStrictEqual({
      id: uuid,
      endpoint_id: id,
      event_id: receiver.received[0]?.headers['webhook-id'],
      type: 'subscription.changed',
      account_id: user.id,
      email: user.email,
      created_at: timestamp,
      state: 'delivered',
      attempts: 1,
      last_attempt_at: timestamp,
      next_attempt_at: null,
      response_status: 200,
      error: null,
    });
  });

  it('deliver an event again with the same id', async () => {
    const setup = await setUp('--event', 'subscription.changed');
    const { server, receiver, id } = setup;
    await subscriber(server);
    await deliver(setup);
    const [delivery] = await list(server, 'webhook', 'deliveries', id);
    expect(await server.admin('webhook', 'replay', String(delivery?.id))).toMatchObject({
      state: 'pending',
      attempts: 0,
    });
    await deliver(setup);
    const [first, second] = receiver.received;
    expect(second).toMatchObject({ body: first?.body, path: '/events' });
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  });

  it('remove an endpoint, which then gets nothing', async () => {
    const setup = await setUp();
    const { server, receiver, id } = setup;
    await subscriber(server);
    expect(await server.admin('webhook', 'remove', id)).toMatchObject({ id, url: receiver.url });
    await deliver(setup);
    expect(receiver.received).toEqual([]);
    expect(await list(server, 'webhook', 'list')).toEqual([]);
  });

  it('remove an endpoint with any number of deliveries, few at once, so that other requests need not wait for long', async () => {
    const { server, id } = await setUp();
    await issueLicense(server);
    const { database, services } = server;
    const deliveries = database.read.selectFrom('event_deliveries');
    const delivery = await deliveries.selectAll().executeTakeFirstOrThrow();
    await database.write(async (transaction) => {
      for (let number = 0; number < 6000; number += 1) {
        await transaction
          .insertInto('event_deliveries')
          .values({ ...delivery, id: `${number}` })
          .execute();
      }
    });
    const left: number[] = [];
    const write = database.write.bind(database);
    const writing = vi.spyOn(database, 'write').mockImplementation(async (work) => {
      const result = await write(work);
      left.push((await deliveries.select('id').execute()).length);
      return result;
    });
    onTestFinished(() => writing.mockRestore());
    await services.webhooks.remove(id, byCommand);
    expect(left).toEqual([1001, 0]);
  });

  it('remove an endpoint only once, and tell the second of two simultaneous requests that it is gone', async () => {
    const { server, id } = await setUp();
    const { webhooks } = server.services;
    const removals = await Promise.allSettled([webhooks.remove(id, byCommand), webhooks.remove(id, byCommand)]);
    expect(removals).toMatchObject([{ value: { id } }, { reason: { code: 'NOT_FOUND' } }]);
  });

  it('do not record that an event was delivered again if the endpoint is removed meanwhile', async () => {
    const setup = await setUp();
    const { server, id } = setup;
    await issueLicense(server);
    await deliver(setup);
    const [delivery] = await list(server, 'webhook', 'deliveries', id);
    const { webhooks } = server.services;
    const replaying = webhooks.replay(String(delivery?.id), byCommand);
    const [, replayed] = await Promise.allSettled([webhooks.remove(id, byCommand), replaying]);
    expect(replayed).toMatchObject({ reason: { code: 'NOT_FOUND' } });
    expect(await auditActions(server, 'webhook.remove')).toHaveLength(1);
    expect(await auditActions(server, 'webhook.replay')).toEqual([]);
  });

  it('are recorded in the audit log without the path of the URL', async () => {
    const { server, id, receiver } = await setUp();
    await subscriber(server);
    await deliver({ server });
    const [delivery] = await list(server, 'webhook', 'deliveries', id);
    await server.admin('webhook', 'replay', String(delivery?.id));
    await server.admin('webhook', 'remove', id);
    const entries = (await list(server, 'audit', 'list')).filter(({ action }) => String(action).startsWith('webhook.'));
    const target = `webhook ${new URL(receiver.url).host}`;
    expect(entries).toMatchObject([
      { action: 'webhook.remove', actor: 'admin command', target },
      { action: 'webhook.replay', actor: 'admin command', target },
      { action: 'webhook.add', actor: 'admin command', target },
    ]);
  });

  it.each([
    { url: 'ftp://example.com/', why: 'another protocol' },
    { url: 'example.com', why: 'no protocol' },
    { url: 'https://user:password@example.com/', why: 'a password' },
    { url: `https://example.com/${'a'.repeat(2000)}`, why: 'too long' },
  ])('refuse a URL: $why', async ({ url }) => {
    const server = await startTestApp(allowed);
    await expect(server.admin('webhook', 'add', url)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('an endpoint with a private address', () => {
  it('is added with a warning if no setting allows it, which programs get too', async () => {
    const admin = createAdmin();
    for (const url of ['http://127.0.0.1:9/', 'http://[::1]:9/', 'http://10.1.2.3/', 'http://localhost:9/']) {
      expect(await admin.json(['webhook', 'add', url])).toMatchObject({ is_blocked: true });
    }
    const { code, stderr } = await admin.run(['webhook', 'add', 'http://127.0.0.1:10/']);
    expect(code).toBe(0);
    expect(stderr).toContain('LATCHKEY_WEBHOOK_ALLOW_PRIVATE=1');
    expect(await admin.json(['webhook', 'add', 'https://203.0.114.7/'])).toMatchObject({ is_blocked: false });
    const allowing = createAdmin(allowed);
    expect(await allowing.json(['webhook', 'add', 'http://127.0.0.1:9/'])).toMatchObject({ is_blocked: false });
  });
});
