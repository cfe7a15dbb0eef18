/** How deliveries fail and are retried. Transport: inject; receivers are real. */
import { describe, expect, it, vi } from 'vitest';
import { systemScheduler } from '../../../server/scheduler.ts';
import { failWaiting } from '../../../server/webhooks/delivery.repository.ts';
import { startEventReceiver } from '../../harness/event-receiver.ts';
import { day, hour, minute, second } from '../../harness/fake-clock.ts';
import { deadlocks, findPostgres, lockWaits, query } from '../../harness/postgres.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import type { Json } from '../../harness/test-server.ts';
import { subscribe, subscriber } from '../../harness/users.ts';

async function deliver({ services }: TestApp): Promise<void> {
  await services.deliveries.begin((error) => {
    throw error;
  });
  await services.deliveries.idle();
}

/** Options for the one type of event that `subscriber` causes. */
const onSubscription = ['--event', 'subscription.changed'];

async function setUp(settings: Record<string, string> = { LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1' }) {
  const server = await startTestApp(settings);
  const receiver = await startEventReceiver();
  const id = stringIn(await server.admin('webhook', 'add', receiver.url, ...onSubscription), 'id');
  const deliveries = async () => (await server.admin('webhook', 'deliveries', id)) as unknown as readonly Json[];
  return { server, receiver, id, deliveries };
}

describe('a delivery that fails', () => {
  it.each([{ status: 500 }, { status: 404 }, { status: 302 }])(
    'with $status is retried within 30 seconds',
    async ({ status }) => {
      const { server, receiver, deliveries } = await setUp();
      receiver.answer = status;
      receiver.answerHeaders = { location: receiver.url };
      await subscriber(server);
      await deliver(server);
      expect(await deliveries()).toMatchObject([{ state: 'pending', attempts: 1, response_status: status }]);
      await deliver(server);
      // Redirects are not followed, and nothing is retried early.
      expect(receiver.received).toHaveLength(1);
      receiver.answer = 200;
      server.clock.advance(30 * second);
      await deliver(server);
      expect(receiver.received).toHaveLength(2);
      expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
      expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2, response_status: 200 }]);
    },
  );

  it('with a protocol upgrade ends, and is retried like others', async () => {
    const { server, receiver, deliveries } = await setUp();
    receiver.answer = 101;
    receiver.answerHeaders = { connection: 'Upgrade', upgrade: 'other' };
    await subscriber(server);
    await deliver(server);
    expect(await deliveries()).toMatchObject([{ state: 'pending', attempts: 1, response_status: 101 }]);
    receiver.answer = 200;
    receiver.answerHeaders = {};
    server.clock.advance(30 * second);
    await deliver(server);
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2, response_status: 200 }]);
  });

  it('is retried less and less often for 3 days, and can be replayed after that', async () => {
    const { server, receiver, deliveries } = await setUp();
    receiver.answer = 503;
    await subscriber(server);
    const startMs = server.clock.now();
    const attemptsMs: number[] = [];
    const lastDay = () => server.clock.now() - startMs < 4 * day;
    for (let count = 0; lastDay(); server.clock.advance(5 * minute)) {
      await deliver(server);
      if (receiver.received.length > count) attemptsMs.push(server.clock.now() - startMs);
      count = receiver.received.length;
    }
    const gapsMs = attemptsMs.slice(1).map((atMs, index) => atMs - (attemptsMs[index] ?? 0));
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(8 * hour);
    expect(attemptsMs.at(-1)).toBeGreaterThanOrEqual(3 * day);
    expect(attemptsMs.at(-1)).toBeLessThanOrEqual(3 * day + 5 * minute);
    const [given] = await deliveries();
    expect(given).toMatchObject({ state: 'failed', response_status: 503, next_attempt_at: null });
    receiver.answer = 204;
    await server.admin('webhook', 'replay', String(given?.id));
    await deliver(server);
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });

  it('with 410 disables the endpoint, and ends its pending deliveries', async () => {
    const { server, receiver, id, deliveries } = await setUp();
    receiver.answer = 410;
    await subscriber(server);
    await deliver(server);
    await subscriber(server);
    server.clock.advance(day);
    await deliver(server);
    expect(receiver.received).toHaveLength(1);
    expect(await server.admin('webhook', 'list')).toMatchObject([
      { id, disabled_at: expect.any(String), disabled_reason: 'The endpoint answered 410 (Gone).', waiting: 0 },
    ]);
    expect(await deliveries()).toMatchObject([{ state: 'failed', response_status: 410 }]);
    const entries = (await server.admin('audit', 'list')) as unknown as readonly Json[];
    const disabled = entries.find(({ action }) => action === 'webhook.disable');
    expect(disabled).toMatchObject({ actor: 'server', target: `webhook ${new URL(receiver.url).host}` });
    const [delivery] = await deliveries();
    await expect(server.admin('webhook', 'replay', String(delivery?.id))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('with 410 leaves nothing pending that is replayed while its endpoint is being disabled', async () => {
    const { server, receiver, id, deliveries } = await setUp();
    await subscriber(server);
    await deliver(server);
    const [delivered] = await deliveries();
    receiver.answer = 410;
    await subscriber(server);
    const { database } = server;
    const writing = vi.spyOn(database, 'write');
    writing.mockImplementationOnce(async (work) => {
      writing.mockRestore();
      await deliver(server);
      return database.write(work);
    });
    await server.admin('webhook', 'replay', String(delivered?.id));
    await deliver(server);
    await server.services.deliveries.dropExcess();
    expect(await server.admin('webhook', 'list')).toMatchObject([{ id, disabled_at: expect.any(String), waiting: 0 }]);
    expect((await deliveries()).map(({ state }) => state)).toStrictEqual(['failed', 'failed']);
  });

  it('does not delay events to other endpoints', async () => {
    const { server, receiver } = await setUp();
    const other = await startEventReceiver();
    await server.admin('webhook', 'add', other.url, ...onSubscription);
    receiver.answer = 500;
    await subscriber(server);
    await deliver(server);
    expect(other.received).toHaveLength(1);
  });
});

describe.skipIf(findPostgres() === undefined)('several deliveries with 410', () => {
  const postgres = sharedPostgres();

  it('at the same time disable the endpoint and all fail, without deadlocks', async () => {
    const url = await postgres.createDatabase();
    const { server, receiver, id, deliveries } = await setUp({
      LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1',
      DATABASE_URL: url,
    });
    receiver.answer = 410;
    for (let count = 0; count < 3; count++) await subscriber(server);
    let delivering: Promise<void> | undefined;
    await server.database.write(async (transaction) => {
      // Locks the endpoint, as disabling it does.
      await transaction.selectFrom('webhook_endpoints').select('id').where('id', '=', id).forNoKeyUpdate().execute();
      delivering = deliver(server);
      await expect.poll(() => query(url, lockWaits)).toHaveLength(3);
    });
    await delivering;
    expect((await deliveries()).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
    expect(await query(url, deadlocks)).toEqual([{ deadlocks: 0 }]);
  });
});

it('an endpoint whose responses never end has at most one connection per concurrent attempt, and still gets its events', async () => {
  const { server, receiver, deliveries } = await setUp();
  receiver.answer = 'endless';
  for (let count = 0; count < 15; count++) await subscriber(server);
  await deliver(server);
  expect(receiver.received).toHaveLength(15);
  expect(receiver.mostConnections).toBe(10);
  expect((await deliveries()).map(({ state }) => state)).toStrictEqual(Array(15).fill('delivered'));
});

describe('an endpoint at a private address', () => {
  it('gets nothing unless the setting allows it', async () => {
    const { server, receiver, deliveries } = await setUp({});
    await subscriber(server);
    await deliver(server);
    expect(receiver.received).toEqual([]);
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1 });
    expect(delivery?.error).toMatch(/private address.*LATCHKEY_WEBHOOK_ALLOW_PRIVATE/);
  });

  it.each(['localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])(
    'is recognized as %s too',
    async (host) => {
      const server = await startTestApp();
      const receiver = await startEventReceiver();
      const { port } = new URL(receiver.url);
      const id = stringIn(await server.admin('webhook', 'add', `http://${host}:${port}/`), 'id');
      await subscriber(server);
      await deliver(server);
      expect(receiver.received).toEqual([]);
      const [delivery] = (await server.admin('webhook', 'deliveries', id)) as unknown as readonly Json[];
      expect(delivery?.error).toMatch(/is a private address/);
    },
  );
});

describe('a queue that is too long', () => {
  /** Like `setUp`; at most two deliveries may wait. */
  async function setUpShortQueue() {
    const { server, deliveries } = await setUp();
    const { DeliveryService } = await import('../../../server/webhooks/delivery.service.ts');
    const { services, database, clock, secrets } = server;
    const send = async () => ({ kind: 'response', status: 200 }) as const;
    const bounded = new DeliveryService({
      scheduler: systemScheduler,
      ...{ database, clock, secrets, send, webhooks: services.webhooks, maxWaiting: 2 },
      random: (count) => Buffer.alloc(count),
    });
    return { server, deliveries, bounded };
  }

  it('is reduced to its newest events', async () => {
    const { server, deliveries, bounded } = await setUpShortQueue();
    for (let count = 0; count < 3; count += 1) {
      await subscriber(server);
      server.clock.advance(second);
    }
    expect(await bounded.dropExcess()).toBe(1);
    expect((await deliveries()).map(({ state }) => state)).toEqual(['pending', 'pending', 'failed']);
  });

  it('is reduced by looking up the events to drop, without reading the others that are waiting', async () => {
    const server = await startTestApp();
    const end = { error: 'too many', nowMs: server.now() };
    const plan = await readQueryPlan(server, (transaction) => failWaiting(transaction, { ids: ['1', '2'] }, end));
    // By the key alone: PostgreSQL prefers the index of those that are waiting if it knows nothing of the table yet.
    expect(plan).toMatch(/^SEARCH event_deliveries USING INDEX sqlite_autoindex_event_deliveries_1 \(id=\?\)$/m);
    expect(plan).not.toContain('endpoint_id');
  });

  it('loses events of an account that causes many, but not the older ones of other accounts', async () => {
    const { server, deliveries, bounded } = await setUpShortQueue();
    await subscriber(server);
    server.clock.advance(second);
    const busy = await subscriber(server);
    for (let count = 0; count < 2; count += 1) {
      server.clock.advance(second);
      await subscribe(server, busy, 'advanced');
    }
    expect(await bounded.dropExcess()).toBe(2);
    expect((await deliveries()).map(({ state }) => state)).toEqual(['pending', 'failed', 'failed', 'pending']);
  });
});
