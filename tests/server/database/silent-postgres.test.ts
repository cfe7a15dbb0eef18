/** PostgreSQL behind a proxy that goes silent: connections stay open, but no response arrives. */
import { fastify } from 'fastify';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database, Transaction } from '../../../server/database/database.ts';
import { DatabaseUnavailable } from '../../../server/database/database-errors.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { createProbe } from '../../../server/database/probe.ts';
import { addHealthRoutes } from '../../../server/health.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { createAdmin } from '../../harness/test-admin.ts';
import { goodPassword, newEmail } from '../../harness/users.ts';

/** Short, as the tests wait for them, but longer than a busy machine takes to connect or for a query. */
const timeouts = { connectTimeoutMs: 3000, queryTimeoutMs: 3000, lockTimeoutMs: 1500, idleTimeoutMs: 3000 };

const insert = (database: Database, name: string) =>
  database.write((transaction) => transaction.insertInto('meta').values({ name, value: 'x' }).execute());

describe.skipIf(findPostgres() === undefined)('a PostgreSQL that goes silent', () => {
  const postgres = sharedPostgres();

  const startProxied = async () => {
    const url = await postgres.createDatabase();
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    return { proxy, url: proxy.through(url) };
  };
  const open = async () => {
    const { proxy, url } = await startProxied();
    const database = await openPostgres(url, createFakeClock(), timeouts);
    onTestFinished(() => database.close());
    return { proxy, database };
  };

  it('fails one write, and the next one uses a new connection', async () => {
    const { proxy, database } = await open();
    await insert(database, 'before');
    proxy.pause();
    await expect(insert(database, 'lost')).rejects.toThrow(DatabaseUnavailable);
    await insert(database, 'after');
  });

  it('in the middle of a transaction loses its locks within seconds', async () => {
    const { proxy, database } = await open();
    await insert(database, 'locked');
    const change = (transaction: Transaction) =>
      transaction.updateTable('meta').set({ value: 'y' }).where('name', '=', 'locked').execute();
    const lost = database.write(async (transaction) => {
      await change(transaction);
      proxy.pause();
      await sql`select 1`.execute(transaction);
    });
    await expect(lost).rejects.toThrow(DatabaseUnavailable);
    await expect.poll(() => database.write(change).then(() => 'written', String)).toBe('written');
  });

  it('fails one read, and the others use new connections', async () => {
    const { proxy, database } = await open();
    const read = () => database.read.selectFrom('meta').selectAll().execute();
    await Promise.all(Array.from({ length: 8 }, read));
    proxy.pause();
    await expect(read()).rejects.toThrow(DatabaseUnavailable);
    for (let index = 0; index < 8; index++) expect(await read()).toEqual([]);
  });

  it('interrupts a potentially long statement soon, but only if it is not running', async () => {
    const { proxy, url } = await startProxied();
    const longTimeouts = { ...timeouts, queryTimeoutMs: 600_000, longStatementMs: 300 };
    const database = await openPostgres(url, createFakeClock(), longTimeouts);
    onTestFinished(() => database.close());
    const sleepFor = (seconds: number) =>
      database.write(async (transaction) => void (await sql`select pg_sleep(${seconds})`.execute(transaction)));
    await sleepFor(2);
    const lost = sleepFor(0.1);
    proxy.pause();
    await expect(lost).rejects.toThrow(DatabaseUnavailable);
    proxy.block();
    await expect(sleepFor(0.1)).rejects.toThrow(DatabaseUnavailable);
  });

  it('does not prevent the database from closing', async () => {
    const { proxy, database } = await open();
    await insert(database, 'before');
    await database.read.selectFrom('meta').selectAll().execute();
    proxy.block();
    await database.close();
  });

  it('makes the server not ready, and the server recovers without help', async () => {
    const { proxy, url } = await startProxied();
    const server = await startHttpServer(createAdmin({ DATABASE_URL: url }));
    const ready = async () => (await server.request('GET', '/readyz')).status;
    const signUp = async () =>
      (await server.call('signup', { body: { email: newEmail(), password: goodPassword } })).status;
    expect(await signUp()).toBe(200);
    // Not paused: a request of the server itself may hold the silent connections, and the check would get a new one.
    proxy.block();
    expect(await ready()).toBe(503);
    proxy.unblock();
    await expect.poll(ready).toBe(200);
    expect(await signUp()).toBe(200);
    proxy.pause();
    expect([200, 503]).toContain(await signUp());
    await expect.poll(signUp).toBe(200);
  });

  it('does not keep a server used only by its health checks unready, however many idle connections there are', async () => {
    const { proxy, url } = await startProxied();
    // A query may take longer than a health check waits.
    const database = await openPostgres(url, createFakeClock(), { ...timeouts, queryTimeoutMs: 3500 });
    const app = fastify();
    onTestFinished(async () => {
      await app.close();
      await database.close();
    });
    addHealthRoutes(app, createProbe(database));
    const isReady = async () => (await app.inject('/readyz')).statusCode === 200;
    await Promise.all(Array.from({ length: 8 }, () => database.read.selectFrom('meta').selectAll().execute()));
    expect(await isReady()).toBe(true);
    proxy.pause();
    const checks: boolean[] = [];
    while (checks.length < 4 && !checks.at(-1)) checks.push(await isReady());
    // The first check gives up before its queries do, and the next ones share their failure.
    expect(checks.at(-1)).toBe(true);
  });

  it('does not prevent the server from stopping, even with pending requests', async () => {
    const { proxy, url } = await startProxied();
    const server = await startHttpServer(createAdmin({ DATABASE_URL: url }));
    proxy.block();
    const pending = server
      .call('signup', { body: { email: newEmail(), password: goodPassword } })
      .catch(() => undefined);
    // By the time a later request has its response, this one is being handled.
    await server.request('GET', '/healthz');
    await server.stop();
    await pending;
  });
});
