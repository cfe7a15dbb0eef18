/** The servers of a run, started on first use. */
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { highLimits, type Settings } from '../../harness/environment.ts';
import { type StartOptions, startServer } from '../../harness/start-server.ts';
import type { BenchRun } from '../bench-run.ts';

export type LoadedServer = {
  readonly url: string;
  readonly pid: number;
  /** Stops a server that would disturb the next measurement; every server is stopped when the run ends. */
  stop(): Promise<unknown>;
};

/** The program with which `npm run server` and `npm run admin` start a program of the server. */
export const launcher = '.npm/run.mjs';

/** The arguments with which `npm run server` starts the server. */
export const serverWords = ['--max-semi-space-size=8', launcher, 'server/main.ts'] as const;

/** Long enough for the access tokens of a whole run. A server rejects tokens with a longer lifetime than its own. */
export const longTokens = { LATCHKEY_ACCESS_TOKEN_TTL: '7d' } as const;

/** Starts the service like `npm run server` with default settings, including the log, which is written to a file. */
export async function startLatchkey(
  run: BenchRun,
  settings: Settings,
  under: StartOptions['under'] = [],
): Promise<LoadedServer & { readonly logFile: string }> {
  const logFile = join(run.newFolder(), 'log');
  const log = openSync(logFile, 'w');
  const [program, ...args] = serverWords;
  const options = { program, args, log, under };
  return { ...(await startForRun(run, { ...highLimits, ...longTokens, ...settings }, options)), logFile };
}

/** Starts a program of the benchmarks that listens. */
export function startProgram(
  run: BenchRun,
  program: string,
  args: readonly string[] = [],
  under: StartOptions['under'] = [],
): Promise<LoadedServer> {
  return startForRun(run, {}, { program: `tests/benchmarks/servers/${program}`, args, log: 'inherit', under });
}

async function startForRun(run: BenchRun, settings: Settings, options: StartOptions): Promise<LoadedServer> {
  const starting = startServer(settings, options);
  // Even if the run is interrupted while it starts.
  run.atEnd(() => starting.then((server) => server.stop()).catch(() => undefined));
  const server = await starting;
  const { pid } = server.process;
  if (pid === undefined) throw new Error('a process that has started has an id');
  return { url: server.url, pid, stop: () => server.stop() };
}
