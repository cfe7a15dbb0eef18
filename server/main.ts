/** Starts the server: reads the settings, opens the database, listens, and stops on a signal. */
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import { systemClock } from './clock.ts';
import { type Config, readConfig } from './config.ts';
import type { Database } from './database/database.ts';
import { DatabaseUnavailable } from './database/database-errors.ts';
import { openDatabase } from './database/open-database.ts';
import { StartError } from './errors.ts';
import { createLog } from './log.ts';
import { systemRandom } from './random.ts';
import { openSecrets } from './secrets.ts';
import { formatSettings } from './settings-table.ts';

const usage = 'usage: npm run server [-- --help]';

const help = `${usage}

Starts the server. It prints one line when it accepts requests, and stops on SIGTERM.
Settings are environment variables; an unknown LATCHKEY_* name is an error.

${formatSettings()}`;

/** How long pending requests may take after a signal to stop, and how long the process may take to end. */
const finishTimeoutMs = 8_000;
const stopTimeoutMs = 10_000;

const command = readCommand();
if (command.kind === 'help') {
  console.log(help);
} else if (command.kind === 'wrong usage') {
  console.error(`${command.reason}\n${usage}`);
  process.exitCode = 2;
} else {
  try {
    await start();
  } catch (error) {
    console.error(`cannot start: ${messageOf(error).replaceAll('\n', ' ')}`);
    process.exitCode = 1;
  }
}

type ServerCommand = { readonly kind: 'start' | 'help' } | { readonly kind: 'wrong usage'; readonly reason: string };

function readCommand(): ServerCommand {
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
    return { kind: values.help ? 'help' : 'start' };
  } catch (error) {
    return { kind: 'wrong usage', reason: messageOf(error) };
  }
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLog(config);
  const database = await openDatabase(config, systemClock);
  try {
    const secrets = await openSecrets(config.secretsFile, database, systemRandom);
    const app = await buildApp({ config, database, secrets, clock: systemClock, random: systemRandom, logger });
    await listen(app, config);
    stopOnSignal(app, database);
    console.log(`listening on ${addressOf(app, config)}`);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Closes the app if it cannot listen: its connections would keep the process alive. */
async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: () => 'listening' });
  } catch (error) {
    await app.close();
    const message = `LATCHKEY_HOST ${host} and LATCHKEY_PORT ${port} cannot be used (${messageOf(error)})`;
    throw new StartError(message, { cause: error });
  }
}

function addressOf(app: FastifyInstance, config: Config): string {
  const { port } = app.server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls ? 'https' : 'http'}://${host}:${port}`;
}

/**
 * On SIGTERM and SIGINT: accepts no new requests, finishes pending ones, then closes the database. Whatever hangs, the
 * process ends in time: then with exit code 1, and a line in the log.
 */
function stopOnSignal(app: FastifyInstance, database: Database): void {
  const stop = async () => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    clearInterval(watch);
    const finish = setTimeout(() => app.server.closeAllConnections(), finishTimeoutMs);
    setTimeout(() => {
      app.log.fatal(`stopped without waiting any longer: something did not end within ${stopTimeoutMs / 1000} s`);
      process.exit(1);
    }, stopTimeoutMs).unref();
    await app.close();
    clearTimeout(finish);
    await database.close();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  const watch = watchParent(() => void stop());
}

/** Under `npm run`, the shell in between ends on SIGTERM without passing it on, so its end is the signal. */
function watchParent(onExit: () => void): NodeJS.Timeout | undefined {
  if (process.env.npm_lifecycle_event !== 'server') return undefined;
  const parent = process.ppid;
  return setInterval(() => process.ppid !== parent && onExit(), 500).unref();
}

function messageOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable && error.cause instanceof Error) {
    return `${error.message} (${error.cause.message})`;
  }
  return error instanceof Error ? error.message : String(error);
}
