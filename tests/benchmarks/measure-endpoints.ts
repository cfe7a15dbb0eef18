/** Throughput of the endpoints as ratios to a bare Fastify route, in rounds in which each is measured once. */

import { limitsOff } from '../harness/environment.ts';
import { startServer } from '../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { type EndpointLoad, orderFor, prepareEndpointLoads } from './endpoint-loads.ts';
import { type LoadOrder, type LoadResult, runLoad } from './load.ts';
import { median } from './median.ts';

export type EndpointMeasurement = LoadResult & {
  readonly name: string;
  /** To the bare route of the same round; the median over the rounds. */
  readonly ratio: number;
};

export type Effort = { readonly rounds: number; readonly seconds: number; readonly connections: number };

export async function measureEndpoints(effort: Effort, tell: (what: string) => void): Promise<EndpointMeasurement[]> {
  const dataFolder = makeTemporaryFolder();
  const bare = await startServer({}, { program: 'tests/benchmarks/bare-server.ts', log: 'discard' });
  const settings = { ...limitsOff, LATCHKEY_DATA: dataFolder, LATCHKEY_TRIAL_PLAN: 'standard' };
  const server = await startServer(settings, { log: 'discard' });
  try {
    const loads = await prepareEndpointLoads(server.url, dataFolder, effort.connections);
    const measureRound = () => runRound({ bareUrl: bare.url, serverUrl: server.url, loads, effort });
    tell('warming up');
    await measureRound();
    const rounds: LoadResult[][] = [];
    for (let round = 1; round <= effort.rounds; round++) {
      tell(`round ${round} of ${effort.rounds}`);
      rounds.push(await measureRound());
    }
    return ['bare route', ...loads.map(({ name }) => name)].map((name, index) => summarize(name, index, rounds));
  } finally {
    await Promise.all([bare.stop(), server.stop()]);
    removeFolder(dataFolder);
  }
}

type Round = { bareUrl: string; serverUrl: string; loads: readonly EndpointLoad[]; effort: Effort };

/** The bare route first, then each endpoint. */
async function runRound({ bareUrl, serverUrl, loads, effort }: Round): Promise<LoadResult[]> {
  const results = [await runLoad(bareOrder(bareUrl, effort))];
  for (const load of loads) {
    results.push(await runLoad(orderFor(serverUrl, load, await load.connections(), effort.seconds)));
  }
  return results;
}

function bareOrder(url: string, { seconds, connections }: Effort): LoadOrder {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ api_key: `svc_live_${'A'.repeat(26)}` });
  return { url, method: 'POST', seconds, connections: Array.from({ length: connections }, () => ({ headers, body })) };
}

function summarize(name: string, index: number, rounds: readonly LoadResult[][]): EndpointMeasurement {
  const medianOf = (figure: (result: LoadResult) => number) =>
    median(rounds.flatMap((round) => (round[index] ? [figure(round[index])] : [])));
  return {
    name,
    requestsPerSecond: medianOf(({ requestsPerSecond }) => requestsPerSecond),
    ratio: median(rounds.map((round) => (round[index]?.requestsPerSecond ?? 0) / (round[0]?.requestsPerSecond ?? 0))),
    p50Ms: medianOf(({ p50Ms }) => p50Ms),
    p99Ms: medianOf(({ p99Ms }) => p99Ms),
  };
}
