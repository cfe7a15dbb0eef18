/**
 * Row 3 of the matrix: the disk fails at the k-th write or sync with EIO or ENOSPC, once or permanently. strace injects
 * the error into the system calls of a real server.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limitsOff } from '../harness/environment.ts';
import { HttpServer, openHttpServer, startHttpServer } from '../harness/http-server.ts';
import { startServer } from '../harness/start-server.ts';
import { createAdmin, temporaryFolder } from '../harness/test-admin.ts';
import { activate, issueLicense, newDeviceId, signUp, type User } from '../harness/users.ts';
import { amount, reportFigures, rowTimeout } from './matrix-run.ts';
import { findRecordingProblem } from './power-loss/recording.ts';

const row = 3;
const problem = findRecordingProblem();
/** Small enough that the session of the account lasts for the whole group. */
const groupSize = 20;
const atOnce = 4;
const writesAfterFault = 10;
/** One in this many servers is started again; for the others only the database is read. */
const startedAgainEvery = 5;

type Fault = {
  readonly number: number;
  readonly call: 'fdatasync' | 'pwrite64';
  readonly error: 'EIO' | 'ENOSPC';
  /** At which call in each thread of the server the fault occurs; four threads sync. */
  readonly at: number;
  readonly stays: boolean;
};

/** Each call with each error, once and permanently, at the first call and then ever later. */
const faults = Array.from({ length: amount(row) }, (_, number): Fault => {
  const call = number % 2 === 0 ? 'fdatasync' : 'pwrite64';
  const error = (number >> 1) % 2 === 0 ? 'EIO' : 'ENOSPC';
  const step = number >> 3;
  return { number, call, error, at: 1 + step * (call === 'pwrite64' ? 5 : 1), stays: (number >> 2) % 2 === 0 };
});

const groups = Array.from({ length: Math.ceil(faults.length / groupSize) }, (_, group) =>
  faults.slice(group * groupSize, (group + 1) * groupSize),
);

type Prepared = { readonly folder: string; readonly user: User; readonly key: string };

/** Creates a data folder to copy, with an account and its license. */
async function prepare(): Promise<Prepared> {
  const admin = createAdmin();
  const server = await startHttpServer(admin);
  const user = await signUp(server);
  const { key } = await issueLicense(server, '--email', user.email, '--max-activations', '100000');
  await server.stop();
  return { folder: admin.folder, user, key };
}

type Outcome = {
  readonly acknowledged: readonly string[];
  readonly started: boolean;
  readonly ended: boolean;
  readonly refused: number;
  readonly unready: number;
};

/** Runs a server under strace until some writes after the fault, or until the fault is overdue. */
async function writeUntilItFails(folder: string, { user, key }: Prepared, fault: Fault): Promise<Outcome> {
  const inject = `inject=${fault.call}:error=${fault.error}:when=${fault.at}${fault.stays ? '+' : ''}`;
  const under = ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${fault.call}`, '-e', inject];
  const admin = createAdmin({}, folder);
  const acknowledged: string[] = [];
  const seen = { refused: 0, unready: 0, ended: false };
  const process = await startServer({ ...limitsOff, ...admin.settings }, { under }).catch(() => undefined);
  if (!process) return { ...seen, acknowledged, started: false };
  onTestFinished(async () => void (await process.kill()));
  const server = new HttpServer(process, admin);
  void process.exited.then(() => (seen.ended = true));
  let left = 20 + fault.at * 5;
  while (left-- > 0 && !seen.ended) {
    const deviceId = newDeviceId();
    try {
      const { response } = await activate(server, user, key, deviceId);
      if (response.status === 200) acknowledged.push(deviceId);
      else {
        expect(response.status, response.text).toBe(503);
        if (seen.refused === 0) left = writesAfterFault;
        seen.refused += 1;
        const { status } = await server.request('GET', '/readyz');
        if (status !== 200) seen.unready += 1;
      }
    } catch (problem) {
      // `fetch` throws a TypeError when the server has exited; any other error is a finding.
      if (!(problem instanceof TypeError)) throw problem;
      await process.exited;
    }
  }
  const outcome = { ...seen, acknowledged, started: true };
  await process.kill();
  return outcome;
}

/** Expects an intact database with everything acknowledged, on which a server can start. */
async function expectRecovered(folder: string, { user, key }: Prepared, acknowledged: readonly string[], fault: Fault) {
  const admin = createAdmin({}, folder);
  if (fault.number % startedAgainEvery === 0) {
    const server = await openHttpServer(admin);
    const { response } = await activate(server, user, key).finally(server.stop);
    expect(response.status, response.text).toBe(200);
  }
  const { stdout } = await admin.runHere(['check', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
  const database = new DatabaseSync(join(folder, 'latchkey.db'), { readOnly: true });
  const present = new Set(
    database
      .prepare('select device_id from activations')
      .all()
      .map((row) => row.device_id),
  );
  database.close();
  expect(acknowledged.filter((id) => !present.has(id))).toStrictEqual([]);
}

describe.skipIf(problem !== undefined)(`a disk that fails${problem ? ` (skipped: ${problem})` : ''}`, () => {
  const sums = {
    'faults that were met': 0,
    'servers that ended': 0,
    'servers that refused': 0,
    'servers that said they are not ready': 0,
    'servers that went on after refusing': 0,
    acknowledged: 0,
  };

  async function tryFault(prepared: Prepared, fault: Fault): Promise<void> {
    const folder = join(temporaryFolder(), 'data');
    cpSync(prepared.folder, folder, { recursive: true });
    const outcome = await writeUntilItFails(folder, prepared, fault);
    await expectRecovered(folder, prepared, outcome.acknowledged, fault);
    const { acknowledged, started, ended, refused, unready } = outcome;
    const isMet = !started || ended || refused > 0;
    // A server that continues after a failed sync would acknowledge writes that may not be on the disk.
    if (fault.call === 'fdatasync') expect(isMet).toBe(true);
    if (fault.stays && refused > 1) expect(unready).toBeGreaterThan(0);
    sums.acknowledged += acknowledged.length;
    if (isMet) sums['faults that were met'] += 1;
    if (ended || !started) sums['servers that ended'] += 1;
    if (refused > 0) sums['servers that refused'] += 1;
    if (unready > 0) sums['servers that said they are not ready'] += 1;
    if (refused > 0 && refused < writesAfterFault && !ended) sums['servers that went on after refusing'] += 1;
  }

  it.each(groups.map((group, index) => ({ group, first: index * groupSize })))(
    'loses nothing that was acknowledged: $group.length faults from number $first on',
    { timeout: rowTimeout() },
    async ({ group }) => {
      const prepared = await prepare();
      const remaining = [...group];
      const tryRest = async () => {
        for (let fault = remaining.shift(); fault; fault = remaining.shift()) {
          const { number: _, ...what } = fault;
          await tryFault(prepared, fault).catch((cause) => {
            throw new Error(`${JSON.stringify(what)}: ${cause.message}`, { cause });
          });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, tryRest));
      reportFigures(row, { amount: `${faults.length} faults`, figures: sums });
    },
  );

  it('affected most of the servers', () => {
    expect(sums['faults that were met']).toBeGreaterThan(faults.length / 2);
  });
});
