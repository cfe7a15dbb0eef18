/** One limit for several server processes, and a server that continues without the shared store. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Admin } from '../../harness/admin.ts';
import { limitsOn } from '../../harness/environment.ts';
import { second } from '../../harness/fake-clock.ts';
import { type HttpServer, startHttpServer } from '../../harness/http-server.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { findRedis, startRedis, type TestRedis } from '../../harness/redis.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';
import { goodPassword, newEmail } from '../../harness/users.ts';

const statusesOf = async (servers: readonly HttpServer[], count: number) => {
  const statuses = [];
  for (let index = 0; index < count; index++) {
    const server = servers[index % servers.length];
    statuses.push((await server?.call('login', { body: { email: 'nobody@example.com', password: 'x' } }))?.status);
  }
  return statuses;
};
/** Starts an app with the default limits that counts in the Redis at `url`. */
const startLimitedApp = (url: string) => startTestApp({ ...limitsOn, REDIS_URL: url });
const fiveOfSeven = [404, 404, 404, 404, 404, 429, 429];

describe.skipIf(findPostgres() === undefined)('two servers on one PostgreSQL', () => {
  const postgres = sharedPostgres();

  it('share one limit', async () => {
    const settings = { DATABASE_URL: await postgres.createDatabase(), LATCHKEY_RATE_LOGIN: '5' };
    const folder = temporaryFolder();
    const servers = [
      await startHttpServer(new Admin(folder, settings)),
      await startHttpServer(new Admin(folder, settings)),
    ];
    expect(await statusesOf(servers, 7)).toEqual(fiveOfSeven);
    for (const server of servers) await server.stop();
  });

  it('count password attempts from unknown addresses on one account together, and both know its owner', async () => {
    const settings = { DATABASE_URL: await postgres.createDatabase(), LATCHKEY_TRUST_PROXY: '1' };
    const folder = temporaryFolder();
    const servers = [
      await startHttpServer(new Admin(folder, settings)),
      await startHttpServer(new Admin(folder, settings)),
    ];
    const logIn = (turn: number, password: string, address: string) =>
      servers[turn % 2]?.call('login', { body: { email, password }, headers: { 'x-forwarded-for': address } });
    const email = newEmail();
    const owner = '192.0.2.1';
    await servers[0]?.call('signup', {
      body: { email, password: goodPassword },
      headers: { 'x-forwarded-for': owner },
    });
    const statuses = [];
    for (let turn = 0; turn < 22; turn++) statuses.push((await logIn(turn, 'wrong', `10.9.${turn}.1`))?.status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429, 429]);
    for (const turn of [0, 1]) {
      expect((await logIn(turn, goodPassword, '10.9.99.1'))?.status).toBe(429);
      expect((await logIn(turn, goodPassword, owner))?.status).toBe(200);
    }
  });
});

describe.skipIf(findRedis() === undefined)('with Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis(findRedis() ?? '');
  });
  afterAll(() => redis?.stop());

  const start = async (url: string): Promise<TestApp> => {
    await redis.command('FLUSHALL');
    return await startLimitedApp(url);
  };
  const logIn = ({ call }: TestApp) =>
    call('login', { body: { email: 'nobody@example.com', password: 'x' }, from: '192.0.2.1' });
  const logInTimes = async (server: TestApp, count: number) => {
    const statuses = [];
    for (let index = 0; index < count; index++) statuses.push((await logIn(server)).status);
    return statuses;
  };
  const warningsOf = (server: TestApp) =>
    server
      .logText()
      .split('\n')
      .filter((line) => line.includes('shared rate limit store'))
      .map((line) => JSON.parse(line));

  it('two servers share one limit, even with separate databases', async () => {
    const settings = { REDIS_URL: redis.url, LATCHKEY_RATE_LOGIN: '5' };
    const servers = [await startHttpServer(createAdmin(settings)), await startHttpServer(createAdmin(settings))];
    expect(await statusesOf(servers, 7)).toEqual(fiveOfSeven);
    for (const server of servers) await server.stop();
  });

  it('the headers are the same as those of a server that counts alone', async () => {
    const server = await start(redis.url);
    const { headers } = await logIn(server);
    expect(headers.get('ratelimit-policy')).toBe('"login";q=5;w=60');
    expect(headers.get('ratelimit')).toBe('"login";r=4;t=60');
    expect(await logInTimes(server, 5)).toEqual([404, 404, 404, 404, 429]);
    expect(Number((await logIn(server)).headers.get('retry-after'))).toBeGreaterThan(55);
  });

  it('the server counts by itself if Redis goes away, and logs no secrets', async () => {
    const proxy = await TcpProxy.start(redis.port);
    const server = await start(proxy.through(redis.url));
    expect(await logInTimes(server, 1)).toEqual([404]);
    await proxy.cut();
    expect(await logInTimes(server, 7)).toEqual(fiveOfSeven);
    server.clock.advance(60 * second);
    expect(await logInTimes(server, 1)).toEqual([404]);
    const port = new URL(proxy.through(redis.url)).port;
    expect(warningsOf(server)).toMatchObject([{ level: 40, store: `redis://127.0.0.1:${port}` }]);
    expect(server.logText()).not.toContain(redis.password);
  });

  it('a wrong password is logged at startup without the password, and the server still starts', async () => {
    const server = await start(redis.url.replace(redis.password, 'not-the-password'));
    expect(warningsOf(server)).toMatchObject([{ level: 40, reason: expect.stringContaining('WRONGPASS') }]);
    expect(server.logText()).not.toMatch(/not-the-password|secret-of/);
    expect(await logInTimes(server, 7)).toEqual(fiveOfSeven);
  });

  it('a server whose port is taken still exits', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    onTestFinished(() => void holder.close());
    const { port } = holder.address() as AddressInfo;
    const started = startHttpServer(createAdmin({ REDIS_URL: redis.url, LATCHKEY_PORT: String(port) }));
    await expect(started).rejects.toThrow('before it listened');
  });
});

it('an unreachable Redis is logged at startup, and the server still starts', async () => {
  const server = await startLimitedApp('redis://someone:hidden@127.0.0.1:1');
  expect(server.logText()).toContain('ECONNREFUSED');
  expect(server.logText()).not.toMatch(/someone|hidden/);
});

it('a Redis error that contains the password is not quoted', async () => {
  const rejecting = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write("-ERR unknown command 'AUTH', with args beginning with: 'hidden'\r\n"));
  }).listen(0, '127.0.0.1');
  await once(rejecting, 'listening');
  onTestFinished(() => void rejecting.close());
  const { port } = rejecting.address() as AddressInfo;
  const server = await startLimitedApp(`redis://:hidden@127.0.0.1:${port}`);
  expect(server.logText()).toContain('ERR unknown command');
  expect(server.logText()).not.toContain('hidden');
});
