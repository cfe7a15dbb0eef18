/** kill -9 under concurrent writes, twenty times on one data folder: what was acknowledged is there afterwards. */
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admin } from '../harness/admin.ts';
import { limitsOff } from '../harness/environment.ts';
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

const kills = 20;
const startTimeoutMs = 60_000;

const dataFolder = makeTemporaryFolder();
// With a trial every new account may have an API key.
const settings = { ...limitsOff, LATCHKEY_DATA: dataFolder, LATCHKEY_TRIAL_PLAN: 'standard' };

let server: ServerProcess;
let owner: Owner;
const sessions: Session[] = [];
const all = new AcknowledgedWrites();

beforeAll(async () => {
  server = await startServer(settings);
  const call = caller(server.url);
  const { body } = await call('signup', { body: { email: 'owner@example.com', password: goodPassword } });
  const parameters = ['license', 'issue', '--email', 'owner@example.com', '--max-activations', '1000000'];
  const issued = await new Admin(dataFolder).json<Json>(parameters);
  owner = { token: stringIn(body, 'access_token'), licenseKey: stringIn(issued, 'license_key') };
  for (let count = 0; count < 3; count++) {
    const signedIn = await call('login', {
      body: { email: 'owner@example.com', password: goodPassword },
    });
    sessions.push({ token: stringIn(signedIn.body, 'refresh_token'), idempotencyKey: randomUUID() });
  }
}, startTimeoutMs);

afterAll(async () => {
  await server.kill();
  removeFolder(dataFolder);
}, startTimeoutMs);

describe('a server that is killed while it writes', () => {
  it.each(Array.from({ length: kills }, (_, index) => index + 1))(
    'has every acknowledged write when it is started again: kill %i',
    async () => {
      const writes = new AcknowledgedWrites();
      const writing = writeUntilGone(server.url, owner, sessions, writes);
      const enough = randomInt(20, 120);
      await expect.poll(() => writes.count(), { timeout: 30_000, interval: 1 }).toBeGreaterThan(enough);
      expect((await server.kill()).signal).toBe('SIGKILL');
      await writing;

      server = await startServer(settings);
      await expectAllThere(server.url, owner, writes);
      await expectSessionsThere(server.url, writes);
      // An honest client retries with the same key: whether or not the response was lost, its session continues.
      for (const session of sessions) await refreshSession(caller(server.url), session, writes);
      all.accounts.push(...writes.accounts);
      all.activationIds.push(...writes.activationIds);
    },
    startTimeoutMs,
  );

  it(
    'still has the writes of all rounds at the end',
    async () => {
      expect(all.accounts.length).toBeGreaterThan(0);
      expect(all.activationIds.length).toBeGreaterThan(kills);
      await expectAllThere(server.url, owner, all);
    },
    startTimeoutMs,
  );

  it('leaves data in which check finds nothing', async () => {
    const { code, stdout, stderr } = await new Admin(dataFolder).run(['check', '--json']);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, problems: [] });
  });
});
