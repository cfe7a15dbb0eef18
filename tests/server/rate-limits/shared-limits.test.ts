/** One limit for several server processes, and a service that does without what they share. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { second } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/run-admin.ts';
import { limitsOn, startTestApp, type TestApp } from '../../harness/start-app.ts';
import { findPostgres, startPostgres, type TestPostgres } from '../../harness/start-postgres.ts';
import { startProxy } from '../../harness/start-proxy.ts';
import { findRedis, startRedis, type TestRedis } from '../../harness/start-redis.ts';
import { type RunningServer, startServer } from '../../harness/start-server-old.ts';

const statusesOf = async (servers: readonly RunningServer[], count: number) => {
  const statuses = [];
  for (let index = 0; index < count; index++) {
    const server = servers[index % servers.length];
    statuses.push((await server?.call('/auth/login', { email: 'nobody@example.com', password: 'x' }))?.status);
  }
  return statuses;
};
const fiveOfSeven = [404, 404, 404, 404, 404, 429, 429];

describe.skipIf(findPostgres() === undefined)('two servers on one PostgreSQL', { timeout: 120_000 }, () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres(findPostgres() ?? '');
  }, 120_000);
  afterAll(() => postgres?.stop());

  it('share one limit', async () => {
    const settings = { DATABASE_URL: await postgres.createDatabase(), LATCHKEY_RATE_LOGIN: '5' };
    const folder = temporaryFolder();
    const servers = [await startServer(folder, settings), await startServer(folder, settings)];
    expect(await statusesOf(servers, 7)).toEqual(fiveOfSeven);
    for (const server of servers) await server.stop();
  });
});

describe.skipIf(findRedis() === undefined)('with a Redis', { timeout: 120_000 }, () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis(findRedis() ?? '');
  });
  afterAll(() => redis?.stop());

  const start = async (url: string): Promise<TestApp> => {
    await redis.command('FLUSHALL');
    const service = await startTestApp({ ...limitsOn, REDIS_URL: url });
    onTestFinished(() => service.close());
    return service;
  };
  const logIn = ({ call }: TestApp) =>
    call('POST', '/auth/login', { body: { email: 'nobody@example.com', password: 'x' }, from: '192.0.2.1' });
  const logInTimes = async (service: TestApp, count: number) => {
    const statuses = [];
    for (let index = 0; index < count; index++) statuses.push((await logIn(service)).status);
    return statuses;
  };
  const warningsOf = (service: TestApp) =>
    service
      .logText()
      .split('\n')
      .filter((line) => line.includes('shared rate limit store'))
      .map((line) => JSON.parse(line));

  it('two servers share one limit, whatever their databases', async () => {
    const settings = { REDIS_URL: redis.url, LATCHKEY_RATE_LOGIN: '5' };
    const servers = [await startServer(temporaryFolder(), settings), await startServer(temporaryFolder(), settings)];
    expect(await statusesOf(servers, 7)).toEqual(fiveOfSeven);
    for (const server of servers) await server.stop();
  });

  it('the headers are those of a server that counts alone', async () => {
    const service = await start(redis.url);
    expect((await logIn(service)).headers).toMatchObject({
      'ratelimit-policy': '"login";q=5;w=60',
      ratelimit: '"login";r=4;t=60',
    });
    expect(await logInTimes(service, 5)).toEqual([404, 404, 404, 404, 429]);
    expect(Number((await logIn(service)).headers['retry-after'])).toBeGreaterThan(55);
  });

  it('a Redis that goes away refuses nobody, and nothing secret is logged', async () => {
    const proxy = await startProxy(redis.port);
    const service = await start(proxy.through(redis.url));
    expect(await logInTimes(service, 1)).toEqual([404]);
    await proxy.cut();
    expect(await logInTimes(service, 7)).toEqual(fiveOfSeven);
    service.clock.advance(60 * second);
    expect(await logInTimes(service, 1)).toEqual([404]);
    const port = new URL(proxy.through(redis.url)).port;
    expect(warningsOf(service)).toMatchObject([{ level: 40, store: `redis://127.0.0.1:${port}` }]);
    expect(service.logText()).not.toContain(redis.password);
  });

  it('a wrong password is said at start, without the password, and the server starts', async () => {
    const service = await start(redis.url.replace(redis.password, 'not-the-password'));
    expect(warningsOf(service)).toMatchObject([{ level: 40, reason: expect.stringContaining('WRONGPASS') }]);
    expect(service.logText()).not.toMatch(/not-the-password|secret-of/);
    expect(await logInTimes(service, 7)).toEqual(fiveOfSeven);
  });

  it('a server whose port is taken ends all the same', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    onTestFinished(() => void holder.close());
    const { port } = holder.address() as AddressInfo;
    const started = startServer(temporaryFolder(), { REDIS_URL: redis.url, LATCHKEY_PORT: String(port) });
    await expect(started).rejects.toThrow('the server has stopped');
  });
});

it('a Redis that is not there is said at start, and the server starts', async () => {
  const service = await startTestApp({ ...limitsOn, REDIS_URL: 'redis://someone:hidden@127.0.0.1:1' });
  onTestFinished(() => service.close());
  expect(service.logText()).toContain('ECONNREFUSED');
  expect(service.logText()).not.toMatch(/someone|hidden/);
});

it('a server that repeats the password in its refusal is not quoted', async () => {
  const refusing = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write("-ERR unknown command 'AUTH', with args beginning with: 'hidden'\r\n"));
  }).listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  onTestFinished(() => void refusing.close());
  const { port } = refusing.address() as AddressInfo;
  const service = await startTestApp({ ...limitsOn, REDIS_URL: `redis://:hidden@127.0.0.1:${port}` });
  onTestFinished(() => service.close());
  expect(service.logText()).toContain('ERR unknown command');
  expect(service.logText()).not.toContain('hidden');
});
