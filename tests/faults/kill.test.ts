/**
 * Row 1 of the matrix: repeated kill -9 under concurrent writes on one data folder. What was acknowledged is there
 * afterwards.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admin } from '../harness/admin.ts';
import { limitsOff } from '../harness/environment.ts';
import { type ServerProcess, startServer } from '../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { stringIn } from '../harness/test-client.ts';
import type { Json } from '../harness/test-server.ts';
import { goodPassword, newEmail } from '../harness/users.ts';
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
import { amount, isTorture, reportFigures } from './matrix-run.ts';

const row = 1;
const kills = amount(row);

const dataFolder = makeTemporaryFolder();
// With a trial, every new account may have an API key.
const settings = { ...limitsOff, LATCHKEY_DATA: dataFolder, LATCHKEY_TRIAL_PLAN: 'standard' };

/** Number of kills after which a new account is used, since listing its devices becomes slow. */
const killsOfOwner = 100;

let server: ServerProcess;
let owner: Owner;
let sessions: Session[];
let all: AcknowledgedWrites;
let checked = 0;
/** The time from each start until the first response. */
const startsMs: number[] = [];

async function startOwner(): Promise<void> {
  const call = caller(server.url);
  const email = newEmail();
  const { body } = await call('signup', { body: { email, password: goodPassword } });
  const parameters = ['license', 'issue', '--email', email, '--max-activations', '1000000'];
  const issued = await new Admin(dataFolder).json<Json>(parameters);
  owner = { token: stringIn(body, 'access_token'), licenseKey: stringIn(issued, 'license_key') };
  sessions = [];
  for (let count = 0; count < 3; count++) {
    const signedIn = await call('login', { body: { email, password: goodPassword } });
    sessions.push({ token: stringIn(signedIn.body, 'refresh_token'), idempotencyKey: randomUUID() });
  }
  all = new AcknowledgedWrites();
}

/** Expects all writes of this account, across all of its kills. */
async function expectAllOfOwner(): Promise<void> {
  expect(all.accounts.length).toBeGreaterThan(0);
  expect(all.activationIds.length).toBeGreaterThan(0);
  await expectAllThere(server.url, owner, all);
  checked += all.accounts.length * 2 + all.activationIds.length;
}

beforeAll(async () => {
  server = await startServer(settings);
  await startOwner();
});

afterAll(async () => {
  await server.kill();
  removeFolder(dataFolder);
});

describe('a server that is killed while it writes', () => {
  it.each(Array.from({ length: kills }, (_, index) => index + 1))(
    'has every acknowledged write after it is restarted: kill %i',
    async (kill) => {
      if (kill % killsOfOwner === 0) {
        await expectAllOfOwner();
        await startOwner();
      }
      const writes = new AcknowledgedWrites();
      const writing = writeUntilGone(server.url, owner, sessions, writes);
      const enough = randomInt(20, 120);
      await expect.poll(() => writes.count(), { interval: 1 }).toBeGreaterThan(enough);
      expect((await server.kill()).signal).toBe('SIGKILL');
      await writing;

      const startedMs = performance.now();
      server = await startServer(settings);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      startsMs.push(performance.now() - startedMs);
      await expectAllThere(server.url, owner, writes);
      await expectSessionsThere(server.url, writes);
      // A correct client retries with the same key: its session continues whether or not the response was lost.
      for (const session of sessions) await refreshSession(caller(server.url), session, writes);
      all.accounts.push(...writes.accounts);
      all.activationIds.push(...writes.activationIds);
    },
  );

  it('still has the writes of all rounds at the end', expectAllOfOwner);

  it.runIf(isTorture)('responds again in less than two seconds', () => {
    const sorted = startsMs.toSorted((left, right) => left - right);
    const medianMs = sorted[Math.floor(sorted.length / 2)] ?? 0;
    // The fastest start counts, since others are delayed by whatever else runs on the machine.
    expect(sorted[0]).toBeLessThan(2000);
    reportFigures(row, {
      amount: `${kills} kills`,
      figures: {
        'acknowledged writes checked': checked,
        'serving again after ms (median)': Math.round(medianMs),
        'at most': Math.round(sorted.at(-1) ?? 0),
      },
    });
  });

  it('leaves data without any problem found by check', async () => {
    const { code, stdout, stderr } = await new Admin(dataFolder).run(['check', '--json']);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, problems: [] });
  });
});
