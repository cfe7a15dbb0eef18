/**
 * PostgreSQL that crashes, is away or goes silent while one server or two are being used: requests get 503 with
 * Retry-After, the servers recover without a restart, and what was acknowledged is there.
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { Admin } from '../harness/admin.ts';
import { type HttpServer, startHttpServer } from '../harness/http-server.ts';
import { findPostgres, query, startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { temporaryFolder } from '../harness/test-admin.ts';
import { Clients } from './clients.ts';

const programs = findPostgres();

describe.skipIf(programs === undefined)('a PostgreSQL', { timeout: 180_000 }, () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres(programs ?? '');
  }, 120_000);
  afterAll(() => postgres?.stop());

  it.each([1, 2])('that crashes, is away or goes silent is recovered from by each of %i servers', async (count) => {
    const url = await postgres.createDatabase();
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    const admin = new Admin(temporaryFolder(), { DATABASE_URL: proxy.through(url), LATCHKEY_LOG_LEVEL: 'silent' });
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
  });
});
