/**
 * Row 3 of the matrix: the disk fails at the k-th write or sync, with EIO or ENOSPC, from then on or once. strace puts the
 * error into the system call of a real server.
 */
import { describe, expect, it } from 'vitest';
import { limitsOff } from '../harness/environment.ts';
import { HttpServer, startHttpServer } from '../harness/http-server.ts';
import { startServer } from '../harness/start-server.ts';
import { createAdmin } from '../harness/test-admin.ts';
import { activate, issueLicense, newDeviceId, signUp, type User } from '../harness/users.ts';
import { amount, reportFigures, rowTimeout } from './matrix-run.ts';
import { findRecordingProblem } from './power-loss/recording.ts';

const row = 3;
const problem = findRecordingProblem();
const calls = ['fdatasync', 'pwrite64'] as const;
const errors = ['EIO', 'ENOSPC'] as const;
const writes = 40;

type Fault = { readonly call: string; readonly error: string; readonly at: number; readonly stays: boolean };

/** So many, spread over calls, errors, and the k-th time in each thread of the server, of which four sync. */
const faults = Array.from({ length: amount(row) }, (_, index): Fault => {
  const call = calls[index % 2] ?? 'fdatasync';
  const error = errors[Math.floor(index / 2) % 2] ?? 'EIO';
  const step = Math.floor(index / 4);
  return { call, error, at: 2 + step * (call === 'pwrite64' ? 17 : 2), stays: index % 3 !== 0 };
});

/** What became of a server whose disk fails: which devices it has acknowledged, and what it said then. */
async function writeUntilItFails(
  settings: Record<string, string>,
  user: User,
  key: string,
  { call, error, at, stays }: Fault,
) {
  const inject = `inject=${call}:error=${error}:when=${at}${stays ? '+' : ''}`;
  const under = ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
  const acknowledged: string[] = [];
  const seen = { refused: 0, unready: 0, ended: false, started: true };
  const process = await startServer({ ...limitsOff, ...settings }, { under }).catch(() => undefined);
  if (!process) return { acknowledged, seen: { ...seen, started: false } };
  const server = new HttpServer(process, createAdmin(settings, settings.LATCHKEY_DATA));
  void process.exited.then(() => (seen.ended = true));
  for (let write = 0; write < writes && !seen.ended; write++) {
    const deviceId = newDeviceId();
    try {
      const { response } = await activate(server, user, key, deviceId);
      if (response.status === 200) acknowledged.push(deviceId);
      else {
        expect(response.status, response.text).toBe(503);
        seen.refused += 1;
        const { status } = await server.request('GET', '/readyz');
        if (status !== 200) seen.unready += 1;
      }
    } catch (problem) {
      // `fetch` throws a TypeError when the server has ended; anything else is a finding.
      if (!(problem instanceof TypeError)) throw problem;
      await process.exited;
    }
  }
  const left = { ...seen };
  await process.kill();
  return { acknowledged, seen: left };
}

describe.skipIf(problem !== undefined)(`a disk that fails${problem ? ` (skipped: ${problem})` : ''}`, () => {
  const sums = {
    'servers that refused and said they are ready': 0,
    acknowledged: 0,
    'servers that ended': 0,
    'servers that refused': 0,
    'faults that were met': 0,
  };

  it.each(faults)(
    '$call with $error at call $at (it stays: $stays): nothing acknowledged is lost',
    { timeout: rowTimeout(60_000) },
    async (fault) => {
      const admin = createAdmin();
      const before = await startHttpServer(admin);
      const user = await signUp(before);
      const { key } = await issueLicense(before, '--email', user.email, '--max-activations', '1000');
      await before.stop();
      const { acknowledged, seen } = await writeUntilItFails({ ...admin.settings }, user, key, fault);
      const after = await startHttpServer(admin);
      const { body } = await after.call('listActivations', { token: user.token });
      const present = new Set((body.activations as { device_id: string }[]).map(({ device_id }) => device_id));
      expect(acknowledged.filter((id) => !present.has(id))).toStrictEqual([]);
      expect((await activate(after, user, key)).response.status).toBe(200);
      expect(await admin.json(['check'])).toMatchObject({ problems: [] });
      const isMet = seen.ended || !seen.started || seen.refused > 0;
      // A server that goes on although a sync has failed would acknowledge what may not be on the disk.
      if (fault.call === 'fdatasync' && fault.at < writes / 8) expect(isMet, JSON.stringify(seen)).toBe(true);
      if (fault.stays && seen.refused > 1) expect(seen.unready, JSON.stringify(seen)).toBeGreaterThan(0);
      sums.acknowledged += acknowledged.length;
      if (seen.ended || !seen.started) sums['servers that ended'] += 1;
      if (seen.refused > 0) sums['servers that refused'] += 1;
      if (seen.refused > 1 && seen.unready === 0) sums['servers that refused and said they are ready'] += 1;
      if (isMet) sums['faults that were met'] += 1;
      reportFigures(row, { amount: `${faults.length} faults`, figures: sums });
    },
  );

  it('was met by most of the servers', () => {
    expect(sums['faults that were met']).toBeGreaterThan(faults.length / 3);
  });
});
