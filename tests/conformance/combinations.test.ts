/**
 * The interface on SQLite and PostgreSQL, with one process and with two, with Redis and without. Where there are two,
 * each request goes to the other one. SQLite without Redis is the subject of `own-server.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admin } from '../harness/admin.ts';
import { AlternatingProxy } from '../harness/alternating-proxy.ts';
import { highLimits, type Settings } from '../harness/environment.ts';
import { findPostgres, startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { findRedis, startRedis, type TestRedis } from '../harness/redis.ts';
import { type ServerProcess, startServer } from '../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { httpTransport, TestClient } from '../harness/test-client.ts';
import { type Json, onceStarted, type TestServer } from '../harness/test-server.ts';
import { callEveryEndpoint } from './every-endpoint.ts';
import { ownServerCases } from './own-server-cases.ts';

const programs = { postgres: findPostgres(), redis: findRedis() };

type Combination = {
  readonly database: 'SQLite' | 'PostgreSQL';
  readonly processes: 1 | 2;
  readonly redis: boolean;
};

const combinations: readonly Combination[] = [
  { database: 'SQLite', processes: 1, redis: true },
  { database: 'PostgreSQL', processes: 1, redis: false },
  { database: 'PostgreSQL', processes: 1, redis: true },
  { database: 'PostgreSQL', processes: 2, redis: false },
  { database: 'PostgreSQL', processes: 2, redis: true },
];

let postgres: TestPostgres | undefined;
let redis: TestRedis | undefined;
beforeAll(async () => {
  if (programs.postgres !== undefined) postgres = await startPostgres(programs.postgres);
  if (programs.redis !== undefined) redis = await startRedis(programs.redis);
}, 120_000);
afterAll(async () => {
  await postgres?.stop();
  await redis?.stop();
}, 60_000);

for (const combination of combinations) {
  const { database, processes, redis: withRedis } = combination;
  const isMissing =
    (database === 'PostgreSQL' && programs.postgres === undefined) || (withRedis && programs.redis === undefined);
  const name = `${database}, ${processes === 1 ? 'one process' : 'two processes'}, ${withRedis ? 'with' : 'without'} Redis`;
  describe.skipIf(isMissing)(name, { timeout: 60_000 }, () => {
    const { server, proxy } = startCombination(combination);

    it('has every endpoint, and each returns exactly what the table says', () => callEveryEndpoint(server));

    ownServerCases(server);

    it('took requests in all of its processes', () => {
      expect(proxy.counts).toHaveLength(processes);
      for (const count of proxy.counts) expect(count).toBeGreaterThan(20);
    });
  });
}

/** Started before the cases of the block and stopped after them. */
function startCombination({ database, processes, redis: withRedis }: Combination) {
  const folder = makeTemporaryFolder();
  const running: ServerProcess[] = [];
  let proxy: AlternatingProxy | undefined;
  let server: ReturnType<typeof serverAt> | undefined;
  beforeAll(async () => {
    const settings: Settings = {
      ...(database === 'PostgreSQL' && postgres ? { DATABASE_URL: await postgres.createDatabase() } : {}),
      ...(withRedis && redis ? { REDIS_URL: redis.url } : {}),
    };
    const admin = new Admin(folder, settings);
    for (let started = 0; started < processes; started++) {
      running.push(await startServer({ ...highLimits, ...admin.settings }));
    }
    proxy = await AlternatingProxy.start(running.map(({ url }) => url));
    server = serverAt(proxy, admin);
  }, 60_000);
  afterAll(async () => {
    proxy?.stop();
    for (const each of running) await each.stop();
    removeFolder(folder);
  }, 60_000);
  return { server: onceStarted(() => server), proxy: onceStarted(() => proxy) };
}

/** What is behind the proxy, as one server. */
function serverAt(proxy: AlternatingProxy, admin: Admin): TestServer & { readonly url: string } {
  const { call, request } = new TestClient(httpTransport(proxy.url));
  const runAdmin = async (...words: string[]) => {
    const result = await admin.json<Json>(words);
    proxy.noteChange();
    return result;
  };
  return { dataFolder: admin.folder, url: proxy.url, call, request, admin: runAdmin, now: () => Date.now() };
}
