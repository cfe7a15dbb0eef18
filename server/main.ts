/** Starts the server: reads the settings, opens the database, listens, and stops in good order. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import { systemClock } from './clock.ts';
import { type Config, readConfig } from './config.ts';
import type { Database } from './database/database.ts';
import { openDatabase } from './database/open-database.ts';
import { StartError } from './errors.ts';
import { createLog } from './log.ts';
import { systemRandom } from './random.ts';
import { openSecrets } from './secrets.ts';

/** How long held requests may take once the server is told to stop. */
const stopWithinMs = 10_000;

try {
  await start();
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(`cannot start: ${reason.replaceAll('\n', ' ')}`);
  process.exitCode = 1;
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLog(config.logLevel);
  const database = await openDatabase(config, systemClock);
  try {
    const secrets = await openSecrets(config.secretsFile, database, systemRandom);
    const parts = { config, database, secrets, clock: systemClock, random: systemRandom, logger };
    const app = await buildApp(parts);
    await listen(app, config);
    stopOnSignal(app, database);
    console.log(`listening on ${addressOf(app, config)}`);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** An app that cannot listen is closed, or its connections would keep the process alive. */
async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: () => 'listening' });
  } catch (error) {
    await app.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`LATCHKEY_HOST ${host} and LATCHKEY_PORT ${port} cannot be used (${reason})`, {
      cause: error,
    });
  }
}

function addressOf(app: FastifyInstance, config: Config): string {
  const { port } = app.server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls ? 'https' : 'http'}://${host}:${port}`;
}

/** Takes no new requests, finishes those it holds, then closes the database. */
function stopOnSignal(app: FastifyInstance, database: Database): void {
  const stop = async () => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    clearInterval(watch);
    const deadline = setTimeout(() => app.server.closeAllConnections(), stopWithinMs);
    await app.close();
    clearTimeout(deadline);
    await database.close();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  const watch = onOrphaned(() => void stop());
}

/** The shell that `npm run` puts in between ends on a SIGTERM and hands none on: its end is the order to stop. */
function onOrphaned(stop: () => void): NodeJS.Timeout | undefined {
  if (process.env.npm_lifecycle_event !== 'server') return undefined;
  const parent = process.ppid;
  return setInterval(() => process.ppid !== parent && stop(), 500).unref();
}
