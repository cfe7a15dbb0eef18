/** The servers of a run, started when they are first needed. */
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { highLimits, type Settings } from '../../harness/environment.ts';
import { type StartOptions, startServer } from '../../harness/start-server.ts';
import type { BenchRun } from '../bench-run.ts';

export type LoadedServer = {
  readonly url: string;
  readonly pid: number;
  /** For a server that would disturb what is measured next; every server is stopped when the run ends. */
  stop(): Promise<unknown>;
};

/** How `npm run server` and `npm run admin` start a program of the server. */
export const launcher = '.npm/run.mjs';

/** The words after `node` by which `npm run server` starts the server. */
export const serverWords = ['--max-semi-space-size=8', launcher, 'server/main.ts'] as const;

/** So long that the access tokens of a run stay valid. A server refuses tokens with a longer life than its own. */
export const longTokens = { LATCHKEY_ACCESS_TOKEN_TTL: '7d' } as const;

/** The service as `npm run server` starts it with its default settings, the log included, which goes to a file. */
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

/** A program of the benchmarks that listens. */
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
  // Also where the run is interrupted while it starts.
  run.atEnd(() => starting.then((server) => server.stop()).catch(() => undefined));
  const server = await starting;
  const { pid } = server.process;
  if (pid === undefined) throw new Error('a process that has started has an id');
  return { url: server.url, pid, stop: () => server.stop() };
}
