/** Durable writes on a disk whose syncs take 5 ms each, as those of many network disks do. Linux with strace only. */
import { spawnSync } from 'node:child_process';
import type { BenchRun } from '../bench-run.ts';
import { numberMark } from '../load/load.ts';
import { type Contender, NotAvailable } from '../measurement.ts';
import { startMembers } from '../seed/installation.ts';
import { type HttpContender, httpContender, numbered, pathOf } from './http-contender.ts';
import { firstNumberOf } from './limit-routes.ts';
import { startProgram } from './server-processes.ts';
import { newDeviceOf } from './sqlite-endpoints.ts';

const syncMs = 5;
const accounts = 2_000;

export function slowDisk(run: BenchRun): Contender[] {
  const members = run.once(() => startMembers(run, accounts, { under: slowSyncs() }));
  const add = (name: string, loads: Pick<HttpContender, 'server' | 'load'>) =>
    withoutCpu(httpContender(run, { name: `${syncMs} ms a sync: ${name}`, group: 'slow disk', ...loads }));
  return [
    add('one commit a request', {
      server: run.once(() => startProgram(run, 'one-commit-server.ts', [run.newFolder()], slowSyncs())),
      load: async (round) => ({
        path: '/',
        requests: [{ body: JSON.stringify({ device_id: `HW-${numberMark}` }) }],
        firstNumber: firstNumberOf(round),
        marker: '"success":true',
      }),
    }),
    add('heartbeat of a new device', {
      server: async () => (await members()).server,
      load: async (round) => {
        const { accessTokens } = await members();
        const body = JSON.stringify({ device_id: newDeviceOf('2') });
        return {
          path: pathOf('heartbeat'),
          requests: numbered(0, accounts, (number) => ({ token: accessTokens[number] ?? '', body })),
          firstNumber: firstNumberOf(round),
          marker: '"success":true',
        };
      },
    }),
  ];
}

/** What a server is started with, so that each of its syncs takes longer. */
function slowSyncs(): readonly string[] {
  if (spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).status !== 0) {
    throw new NotAvailable('strace is not installed, or may not trace processes');
  }
  const syncs = 'fsync,fdatasync';
  const inject = `inject=${syncs}:delay_exit=${syncMs * 1000}`;
  // The server keeps the process id that was started, and strace follows it from outside.
  return ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${syncs}`, '-e', inject];
}

/** strace takes processor time of its own. */
function withoutCpu({ measure, ...contender }: Contender): Contender {
  return {
    ...contender,
    measure: async (round) => {
      const { cpuMicros: _cpuMicros, perCpuSecond: _perCpuSecond, ...sample } = await measure(round);
      return sample;
    },
  };
}
