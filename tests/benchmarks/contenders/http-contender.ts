/** A server under load as a contender. */
import { apiRoot, type EndpointName, endpoints } from '../../../shared/api/endpoints.ts';
import type { BenchRun } from '../bench-run.ts';
import type { Load } from '../load/load.ts';
import { measureLoads } from '../load/measure-load.ts';
import { runLoad } from '../load/run-load.ts';
import type { Contender } from '../measurement.ts';
import type { LoadedServer } from './server-processes.ts';

/** A load without the parts that most loads of a run have in common. */
export type LoadPart = { readonly path: string; readonly method?: 'GET'; readonly connections?: number } & Pick<
  Load,
  'requests' | 'marker' | 'firstNumber' | 'carry'
>;

export type HttpContender = Pick<Contender, 'name' | 'group' | 'rounds' | 'onlyFull'> & {
  server(): Promise<LoadedServer>;
  load(round: number): Promise<LoadPart>;
  /**
   * Each of these requests is sent once before the measurement, and all of them for at least a second; none is counted.
   */
  readonly prepare?: (round: number) => Promise<LoadPart>;
};

export function httpContender(run: BenchRun, { server, load, prepare, ...contender }: HttpContender): Contender {
  return {
    ...contender,
    async measure(round) {
      const { url, pid } = await server();
      if (prepare) await warmUp(toLoad(run, url, await prepare(round)));
      return await measureLoads([{ pid, load: toLoad(run, url, await load(round)) }]);
    },
  };
}

/** Maximum time for sending each request once. */
const preparingSeconds = 60;

const warmUpSeconds = 1;

/**
 * Sends each request once, and all of them for at least a second: while a server waited for its turn, V8 may have
 * discarded code, and has garbage to collect under new load.
 */
export async function warmUp(load: Load): Promise<void> {
  const { seconds } = await runLoad({ ...load, seconds: preparingSeconds, responses: load.requests.length });
  if (seconds < warmUpSeconds) await runLoad({ ...load, seconds: warmUpSeconds });
}

export function toLoad({ effort }: BenchRun, url: string, { path, method, ...part }: LoadPart): Load {
  const { seconds, connections } = effort;
  return { seconds, connections, url: new URL(path, url).href, method: method ?? 'POST', ...part };
}

export function pathOf(endpoint: EndpointName): string {
  return apiRoot + endpoints[endpoint].path;
}

/** Returns `make` of `count` consecutive numbers from `first` on. */
export function numbered<T>(first: number, count: number, make: (number: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(first + index));
}
