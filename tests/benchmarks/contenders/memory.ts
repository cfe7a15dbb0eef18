/** The memory of a server at rest and after many requests, compared with a bare one. Linux only. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchRun } from '../bench-run.ts';
import { runLoad } from '../load/run-load.ts';
import { readMemoryMiB } from '../measured-process.ts';
import { type Contender, NotAvailable } from '../measurement.ts';
import type { Installation } from '../seed/installation.ts';
import { apiKeyOf } from '../seed/seeded-accounts.ts';
import { keyBody } from './bare-routes.ts';
import { type LoadPart, numbered, pathOf, toLoad } from './http-contender.ts';
import { type LoadedServer, startLatchkey, startProgram } from './server-processes.ts';

const group = 'memory';
const secondsAtRest = 2;
/** All of these have been validated before the first quarter of the requests is done. */
const keys = 20_000;

export function memory(run: BenchRun, installation: () => Promise<Installation>): Contender[] {
  const keyRequests = numbered(0, keys, (number) => ({ body: keyBody(apiKeyOf(number)) }));
  const pair = (name: string, server: () => Promise<LoadedServer>, part: LoadPart): Contender[] => [
    { name: `${name}memory at rest`, group, rounds: 1, measure: async () => measureRest(await server()) },
    {
      name: `${name}memory after load`,
      group,
      rounds: 1,
      measure: async () => measureGrowth(run, await server(), part, 200_000),
    },
    {
      name: `${name}memory after 1 million requests`,
      group,
      rounds: 1,
      onlyFull: true,
      measure: async () => measureGrowth(run, await server(), part, 1_000_000),
    },
  ];
  // Separate servers that have not received any requests.
  const bare = run.once(() => startProgram(run, 'bare-server.ts'));
  const own = run.once(async () => startLatchkey(run, { LATCHKEY_DATA: (await installation()).dataFolder }));
  return [
    ...pair('bare Fastify: ', bare, { path: '/', requests: keyRequests, marker: '"success":true' }),
    ...pair('', own, { path: pathOf('validateApiKey'), requests: keyRequests, marker: '"valid":true' }),
  ];
}

async function measureRest({ pid }: LoadedServer) {
  if (process.platform !== 'linux') throw new NotAvailable('memory is read from /proc');
  await sleep(secondsAtRest * 1000);
  return { mebibytes: readMemoryMiB(pid).now };
}

async function measureGrowth(run: BenchRun, { url, pid }: LoadedServer, part: LoadPart, requests: number) {
  if (process.platform !== 'linux') throw new NotAvailable('memory is read from /proc');
  const load = toLoad(run, url, part);
  let sent = 0;
  const sendUntil = async (count: number) => {
    while (sent < count) sent += (await runLoad(load)).responses;
    return readMemoryMiB(pid).now;
  };
  const afterQuarter = await sendUntil(requests / 4);
  const mebibytes = await sendUntil(requests);
  return { mebibytes, growth: mebibytes / afterQuarter };
}
