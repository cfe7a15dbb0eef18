/** Starts the server, alone or as several workers, and stops it on a signal. */
import cluster from 'node:cluster';
import { parseArgs } from 'node:util';
import { describeStartFailure } from './database/database-errors.ts';
import { messageOf } from './errors.ts';
import { formatSettings } from './settings/settings-table.ts';

const usage = 'usage: npm run server [-- --workers N] [-- --help]';

const help = `${usage}

Starts the server. It prints one line when it accepts requests, and stops on SIGTERM, SIGINT or SIGHUP.
--workers N runs N processes that share the port and the database (default: 1). One that crashes or hangs is restarted.
Settings are environment variables; an unknown LATCHKEY_* name is an error.

${formatSettings()}`;

const maxWorkers = 64;

type ServerCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'start'; readonly workers: number }
  | { readonly kind: 'wrong usage'; readonly reason: string };

const command = readCommand();
if (command.kind === 'help') {
  console.log(help);
} else if (command.kind === 'wrong usage') {
  console.error(`${command.reason}\n${usage}`);
  process.exitCode = 2;
} else if (cluster.isWorker) {
  const { runWorker } = await import('./workers/worker.ts');
  await runWorker();
} else {
  try {
    await (command.workers === 1 ? startAlone() : startWorkers(command.workers));
  } catch (error) {
    console.error(`cannot start: ${describeStartFailure(error)}`);
    process.exitCode = 1;
  }
}

function readCommand(): ServerCommand {
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' }, workers: { type: 'string' } } });
    if (values.help) return { kind: 'help' };
    const { workers = '1' } = values;
    if (!/^[1-9]\d?$/.test(workers) || Number(workers) > maxWorkers) {
      return { kind: 'wrong usage', reason: `--workers must be a whole number from 1 to ${maxWorkers}` };
    }
    return { kind: 'start', workers: Number(workers) };
  } catch (error) {
    return { kind: 'wrong usage', reason: messageOf(error) };
  }
}

async function startAlone(): Promise<void> {
  const { startServerProcess } = await import('./server-process.ts');
  const server = await startServerProcess();
  stopOnSignal(server.stop);
  console.log(`listening on ${server.address}`);
  printFirstAdmin(await server.createFirstAdminUrl());
}

async function startWorkers(count: number): Promise<void> {
  const { Primary } = await import('./workers/primary.ts');
  const primary = new Primary();
  // Workers must not be left behind while they start.
  stopOnSignal(primary.stop);
  if (!(await primary.start(count))) return;
  console.log(`listening on ${primary.address}`);
  printFirstAdmin(primary.firstAdminUrl);
}

function printFirstAdmin(url: string | undefined): void {
  if (url !== undefined) console.log(`first admin: ${url}`);
}

/** Stops on the first signal; a second one ends the process at once. */
function stopOnSignal(onSignal: () => Promise<void>): void {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const stop = () => {
    for (const signal of signals) process.off(signal, stop);
    clearInterval(watch);
    void onSignal();
  };
  for (const signal of signals) process.on(signal, stop);
  const watch = watchParent(stop);
}

/**
 * `npm run` starts a shell that ends on SIGTERM without passing it on, so the end of that shell counts as the signal.
 */
function watchParent(onExit: () => void): NodeJS.Timeout | undefined {
  if (process.env.npm_lifecycle_event !== 'server') return undefined;
  const parent = process.ppid;
  return setInterval(() => process.ppid !== parent && onExit(), 500).unref();
}
