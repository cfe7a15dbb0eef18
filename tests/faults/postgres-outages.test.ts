/**
 * PostgreSQL that crashes, is away or goes silent while one server or two are being used, with Redis and without: requests
 * get 503 with Retry-After, the servers recover without a restart, and what was acknowledged is there.
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { Admin } from '../harness/admin.ts';
import { highLimits } from '../harness/environment.ts';
import { type HttpServer, startHttpServer } from '../harness/http-server.ts';
import { findPostgres, query, startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { findRedis, startRedis, type TestRedis } from '../harness/redis.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { temporaryFolder } from '../harness/test-admin.ts';
import { Clients } from './clients.ts';

const programs = findPostgres();
const redisProgram = findRedis();

describe.skipIf(programs === undefined)('a PostgreSQL', { timeout: 180_000 }, () => {
  let postgres: TestPostgres;
  let redis: TestRedis | undefined;
  beforeAll(async () => {
    postgres = await startPostgres(programs ?? '');
    if (redisProgram !== undefined) redis = await startRedis(redisProgram);
  }, 120_000);
  afterAll(async () => {
    await postgres?.stop();
    await redis?.stop();
  }, 60_000);

  it.for([
    { count: 1, withRedis: false },
    { count: 1, withRedis: true },
    { count: 2, withRedis: false },
    { count: 2, withRedis: true },
  ])(
    'that crashes, is away or goes silent is recovered from by each server: $count, Redis: $withRedis',
    async ({ count, withRedis }, { skip }) => {
      skip(withRedis && redis === undefined, 'Redis is not installed');
      const url = await postgres.createDatabase();
      const proxy = await TcpProxy.start(Number(new URL(url).port));
      const admin = new Admin(temporaryFolder(), {
        ...highLimits,
        DATABASE_URL: proxy.through(url),
        ...(withRedis && redis ? { REDIS_URL: redis.url } : {}),
        LATCHKEY_LOG_LEVEL: 'silent',
      });
      const servers: HttpServer[] = [];
      for (let started = 0; started < count; started++) servers.push(await startHttpServer(admin));
      const clients = await Clients.start(servers);
      await clients.succeed();

      await postgres.crash();
      await clients.fail();
      await postgres.start();
      await clients.succeed();

      await postgres.crash();
      await postgres.start();
      await clients.succeed();

      proxy.silence();
      await clients.fail();
      await clients.succeed();

      proxy.block();
      await clients.fail();
      await proxy.restore();
      await clients.succeed();
      await clients.expectAllThere((text) => query(url, text));
    },
  );
});
