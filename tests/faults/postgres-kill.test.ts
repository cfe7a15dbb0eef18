/**
 * kill -9 of a server on PostgreSQL while it writes, with one process and with two, with Redis and without: what was
 * acknowledged is there, in the other process at once and in one that was started again.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admin } from '../harness/admin.ts';
import { limitsOff, type Settings } from '../harness/environment.ts';
import { findPostgres, startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { findRedis, startRedis, type TestRedis } from '../harness/redis.ts';
import { type ServerProcess, startServer } from '../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { stringIn } from '../harness/test-client.ts';
import type { Json } from '../harness/test-server.ts';
import { goodPassword } from '../harness/users.ts';
import {
  AcknowledgedWrites,
  caller,
  expectAllThere,
  expectSessionsThere,
  type Owner,
  refreshSession,
  type Session,
  writeUntilGone,
} from './acknowledged-writes.ts';

const kills = 3;
const programs = { postgres: findPostgres(), redis: findRedis() };

const cases = [
  { name: 'one server, without Redis', processes: 1, withRedis: false },
  { name: 'one server, with Redis', processes: 1, withRedis: true },
  { name: 'two servers, without Redis', processes: 2, withRedis: false },
  { name: 'two servers, with Redis', processes: 2, withRedis: true },
] as const;
type Case = (typeof cases)[number];

describe.skipIf(programs.postgres === undefined)('on PostgreSQL', { timeout: 60_000 }, () => {
  let postgres: TestPostgres;
  let redis: TestRedis | undefined;
  beforeAll(async () => {
    postgres = await startPostgres(programs.postgres ?? '');
    if (programs.redis !== undefined) redis = await startRedis(programs.redis);
  }, 120_000);
  afterAll(async () => {
    await postgres?.stop();
    await redis?.stop();
  }, 60_000);

  for (const each of cases) {
    describe.skipIf(each.withRedis && programs.redis === undefined)(each.name, () =>
      killAndCheck(each, () => ({ postgres, redis })),
    );
  }
});

/** `stores` has what the tests of the case use, once they run. */
function killAndCheck(
  { processes, withRedis }: Case,
  stores: () => { postgres: TestPostgres; redis: TestRedis | undefined },
): void {
  const folder = makeTemporaryFolder();
  let settings: Settings;
  let servers: ServerProcess[] = [];
  let owner: Owner;

  beforeAll(async () => {
    const { postgres, redis } = stores();
    const admin = new Admin(folder, {
      DATABASE_URL: await postgres.createDatabase(),
      ...(withRedis && redis ? { REDIS_URL: redis.url } : {}),
    });
    // With a trial every new account may have an API key.
    settings = { ...limitsOff, ...admin.settings, LATCHKEY_TRIAL_PLAN: 'standard' };
    for (let started = 0; started < processes; started++) servers.push(await startServer(settings));
    const email = 'owner@example.com';
    const { body } = await call('signup', { body: { email, password: goodPassword } });
    const issued = await admin.json<Json>(['license', 'issue', '--email', email, '--max-activations', '1000000']);
    owner = { token: stringIn(body, 'access_token'), licenseKey: stringIn(issued, 'license_key') };
  }, 120_000);

  afterAll(async () => {
    for (const server of servers) await server.kill();
    removeFolder(folder);
  }, 60_000);

  /** Calls the first server, which is the next one to be killed. */
  const call: ReturnType<typeof caller> = (...request) => caller(servers[0]?.url ?? '')(...request);

  const startSession = async (): Promise<Session> => {
    const { body } = await call('login', { body: { email: 'owner@example.com', password: goodPassword } });
    return { token: stringIn(body, 'refresh_token'), idempotencyKey: randomUUID() };
  };

  it.each(Array.from({ length: kills }, (_, index) => index + 1))(
    'every acknowledged write is there after kill %i',
    async () => {
      const [killed, ...others] = servers;
      if (killed === undefined) throw new Error('there is no server');
      const sessions = [await startSession(), await startSession()];
      const writes = new AcknowledgedWrites();
      const writing = writeUntilGone(killed.url, owner, sessions, writes);
      const enough = randomInt(20, 80);
      await expect.poll(() => writes.count(), { timeout: 30_000, interval: 1 }).toBeGreaterThan(enough);
      expect((await killed.kill()).signal).toBe('SIGKILL');
      await writing;

      // PostgreSQL may still be ending a transaction of the killed server, which others then wait for.
      const [other = await startServer(settings)] = others;
      servers = [other];
      await expectAllThere(other.url, owner, writes);
      await expectSessionsThere(other.url, writes);
      for (const session of sessions) await refreshSession(caller(other.url), session, writes);
      if (processes === 2) servers.push(await startServer(settings));
    },
  );
}
