/**
 * Durable writes on a disk whose syncs take 5 ms each, like those of many network disks, and the latency of reads
 * during writes on one whose syncs take 20 ms. Linux with strace only.
 */
import { spawnSync } from 'node:child_process';
import type { BenchRun } from '../bench-run.ts';
import { runLoad } from '../load/run-load.ts';
import { waitUntilIdle } from '../measured-process.ts';
import { type Contender, NotAvailable, type Sample } from '../measurement.ts';
import { startMembers } from '../seed/installation.ts';
import { apiKeyOf } from '../seed/seeded-accounts.ts';
import { firstNumberOf, keyBody, upsertDevices } from './bare-routes.ts';
import { type HttpContender, httpContender, type LoadPart, numbered, pathOf, toLoad } from './http-contender.ts';
import { type LoadedServer, startProgram } from './server-processes.ts';
import { newDeviceOf } from './sqlite-endpoints.ts';

const group = 'slow disk';
const [slowMs, slowestMs] = [5, 20];
const accounts = 2_000;
/** Few enough of each that the server is not constantly busy. */
const [readConnections, writeConnections] = [4, 16];

export function slowDisk(run: BenchRun): Contender[] {
  const members = run.once(() => startMembers(run, accounts, { under: slowSyncs(slowMs) }));
  const add = (name: string, loads: Pick<HttpContender, 'server' | 'load'>) =>
    withoutCpu(httpContender(run, { name: `${slowMs} ms a sync: ${name}`, group, ...loads }));
  return [
    add('one commit a request', {
      server: run.once(() => startProgram(run, 'one-commit-server.ts', [run.newFolder()], slowSyncs(slowMs))),
      load: async (round) => upsertDevices('b', round),
    }),
    add('heartbeat of a new device', {
      server: async () => (await members()).server,
      load: async (round) => newDevices((await members()).accessTokens, round),
    }),
    ...readsBesideWrites(run),
  ];
}

function newDevices(accessTokens: readonly string[], round: number): LoadPart {
  const body = JSON.stringify({ device_id: newDeviceOf('2') });
  return {
    path: pathOf('heartbeat'),
    requests: accessTokens.map((token) => ({ token, body })),
    firstNumber: firstNumberOf(round),
    marker: '"success":true',
  };
}

/** Measures only the latencies of the reads, since the CPU time includes the writes and strace. */
function readsBesideWrites(run: BenchRun): Contender[] {
  const bare = run.once(() => startProgram(run, 'bare-server.ts', [], slowSyncs(slowestMs)));
  const members = run.once(() => startMembers(run, accounts, { under: slowSyncs(slowestMs) }));
  const read = async ({ url, pid }: LoadedServer, part: LoadPart, beside?: LoadPart): Promise<Sample> => {
    await waitUntilIdle(pid);
    const loads = [
      { ...part, connections: readConnections },
      ...(beside ? [{ ...beside, connections: writeConnections }] : []),
    ];
    const [reads] = await Promise.all(loads.map((each) => runLoad(toLoad(run, url, each))));
    if (!reads) throw new TypeError('the first load is that of the reads');
    return { p50Ms: reads.p50Ms, p99Ms: reads.p99Ms, p999Ms: reads.p999Ms };
  };
  const keys = numbered(0, accounts, (number) => ({ body: keyBody(apiKeyOf(number)) }));
  return [
    {
      name: `${slowestMs} ms a sync: bare route`,
      group,
      measure: async () => read(await bare(), { path: '/', requests: keys, marker: '"success":true' }),
    },
    {
      name: `${slowestMs} ms a sync: key validation beside heartbeats`,
      group,
      measure: async (round) => {
        const { server, accessTokens } = await members();
        const part = { path: pathOf('validateApiKey'), requests: keys, marker: '"valid":true' };
        return read(server, part, newDevices(accessTokens, round));
      },
    },
  ];
}

/** Returns the command prefix that makes each sync of a server take longer. */
function slowSyncs(syncMs: number): readonly string[] {
  if (spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).status !== 0) {
    throw new NotAvailable('strace is not installed, or may not trace processes');
  }
  const syncs = 'fsync,fdatasync';
  const inject = `inject=${syncs}:delay_exit=${syncMs * 1000}`;
  // The server keeps the process id that was started, and strace follows it from outside.
  return ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${syncs}`, '-e', inject];
}

/** Removes the CPU figures, which include the CPU time of strace. */
function withoutCpu({ measure, ...contender }: Contender): Contender {
  return {
    ...contender,
    measure: async (round) => {
      const { cpuMicros: _cpuMicros, perCpuSecond: _perCpuSecond, ...sample } = await measure(round);
      return sample;
    },
  };
}
