/** kill -9 of one of two servers on PostgreSQL while it writes: the other one has what was acknowledged, and goes on. */
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

const kills = 5;
const programs = { postgres: findPostgres(), redis: findRedis() };

describe.skipIf(programs.postgres === undefined)('two servers on one PostgreSQL', { timeout: 60_000 }, () => {
  const folder = makeTemporaryFolder();
  let postgres: TestPostgres;
  let redis: TestRedis | undefined;
  let settings: Settings;
  let killed: ServerProcess;
  let other: ServerProcess;
  let owner: Owner;

  beforeAll(async () => {
    postgres = await startPostgres(programs.postgres ?? '');
    if (programs.redis !== undefined) redis = await startRedis(programs.redis);
    const admin = new Admin(folder, {
      DATABASE_URL: await postgres.createDatabase(),
      ...(redis ? { REDIS_URL: redis.url } : {}),
    });
    // With a trial every new account may have an API key.
    settings = { ...limitsOff, ...admin.settings, LATCHKEY_TRIAL_PLAN: 'standard' };
    killed = await startServer(settings);
    other = await startServer(settings);
    const email = 'owner@example.com';
    const { body } = await caller(other.url)('signup', { body: { email, password: goodPassword } });
    const issued = await admin.json<Json>(['license', 'issue', '--email', email, '--max-activations', '1000000']);
    owner = { token: stringIn(body, 'access_token'), licenseKey: stringIn(issued, 'license_key') };
  }, 120_000);

  afterAll(async () => {
    await killed?.kill();
    await other?.stop();
    await postgres?.stop();
    await redis?.stop();
    removeFolder(folder);
  }, 60_000);

  const startSession = async (): Promise<Session> => {
    const { body } = await caller(other.url)('login', { body: { email: 'owner@example.com', password: goodPassword } });
    return { token: stringIn(body, 'refresh_token'), idempotencyKey: randomUUID() };
  };

  it.each(Array.from({ length: kills }, (_, index) => index + 1))(
    'have every acknowledged write when one of them was killed: kill %i',
    async () => {
      const sessions = [await startSession(), await startSession()];
      const writes = new AcknowledgedWrites();
      const writing = writeUntilGone(killed.url, owner, sessions, writes);
      const enough = randomInt(20, 80);
      await expect.poll(() => writes.count(), { timeout: 30_000, interval: 1 }).toBeGreaterThan(enough);
      expect((await killed.kill()).signal).toBe('SIGKILL');
      await writing;

      // PostgreSQL may still be ending a transaction of the killed server, which others then wait for.
      await expectAllThere(other.url, owner, writes);
      await expectSessionsThere(other.url, writes);
      for (const session of sessions) await refreshSession(caller(other.url), session, writes);
      [killed, other] = [other, await startServer(settings)];
    },
  );
});
