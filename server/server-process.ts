/** A process that serves requests: the only one, or one of several workers. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import { removeAbandonedWork } from './backup/work-folder.ts';
import { systemDeps } from './common-deps.ts';
import { describeDatabase, openDatabase } from './database/open-database.ts';
import { syncFailureMessage } from './database/sqlite-database.ts';
import { messageOf, StartError } from './errors.ts';
import { createLog } from './log.ts';
import type { MetricsChannel } from './metrics/metrics.service.ts';
import { readVersion } from './own-package.ts';
import type { RateStore } from './rate-limits/rate-counter.ts';
import { openSecrets } from './secrets/secrets.ts';
import { type Config, readConfig } from './settings/config.ts';
import { createFirstLink, findSiteUrl, formatWelcomeUrl } from './staff/staff-link.ts';
import { lowerThreadPoolPriority } from './thread-priority.ts';

/** After a stop signal: how long pending requests may take, and how long the process may take to end. */
const finishTimeoutMs = 8_000;
const stopTimeoutMs = 10_000;

export type ServerProcess = {
  /** `http://HOST:PORT` */
  readonly address: string;
  /** While there is no staff: creates the link for the first administrator; each call creates a new one. */
  createFirstAdminUrl(): Promise<string | undefined>;
  /**
   * Accepts no new requests, finishes pending ones, then closes the database. If something hangs, the process ends
   * after `stopTimeoutMs` with exit code 1 and a line in the log.
   */
  stop(): Promise<void>;
};

/** What only a worker needs. */
type WorkerDeps = {
  readonly number: number;
  /** Counts requests for all workers together if neither Redis nor PostgreSQL does. */
  readonly rateStore: RateStore;
  readonly metricsChannel: MetricsChannel;
};

/** Reads the settings, opens the database and listens. Throws `StartError`. */
export async function startServerProcess(worker?: WorkerDeps): Promise<ServerProcess> {
  allocateInYoungGeneration();
  const config = readConfig(process.env);
  const log = createLog(config);
  const logger = worker === undefined ? log : log.child({ worker: worker.number });
  if (config.databaseUrl === undefined && !existsSync(config.databaseFile)) await requireFreePort(config);
  removeAbandonedWork(config.dataFolder);
  const onSyncFailed = (error: unknown) => {
    logger.fatal({ err: error }, syncFailureMessage);
    process.exit(1);
  };
  const database = await openDatabase(config, systemDeps.clock, { onSyncFailed });
  try {
    const secrets = await openSecrets(config.secretsFile, database, systemDeps.random);
    const deps = {
      config,
      database,
      secrets,
      ...systemDeps,
      logger,
    };
    const app = await buildApp({ ...deps, rateStore: worker?.rateStore, metricsChannel: worker?.metricsChannel });
    await lowerThreadPoolPriority();
    await listen(app, config);
    const described = { version: readVersion(), database: await describeDatabase(config) };
    logger.info(described, database.isNew ? 'started with a new database' : 'started');
    const stop = async () => {
      const finish = setTimeout(() => app.server.closeAllConnections(), finishTimeoutMs);
      // This timer keeps the process alive: exiting with something still pending would look like a clean stop.
      const giveUp = setTimeout(() => {
        app.log.fatal(`stopped without waiting any longer: something did not end within ${stopTimeoutMs / 1000} s`);
        process.exit(1);
      }, stopTimeoutMs);
      await app.close();
      clearTimeout(finish);
      await database.close();
      clearTimeout(giveUp);
      logger.info('stopped');
    };
    const createFirstAdminUrl = async () => {
      try {
        const link = await createFirstLink(deps);
        return link && formatWelcomeUrl(findSiteUrl(config, portOf(app)), link.token);
      } catch (error) {
        logger.warn({ err: error }, 'the link for the first admin could not be made; start again to get one');
        return undefined;
      }
    };
    return { address: addressOf(app, config), createFirstAdminUrl, stop };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Listens; closes the app on failure, since its connections would keep the process alive. */
async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: () => 'listening' });
  } catch (error) {
    await app.close();
    throw cannotListen({ host, port }, error);
  }
}

/** Checks the port before a database is created, so that a failed start leaves none behind. */
async function requireFreePort({ host, port }: Config): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen(port, host), 'listening');
  } catch (error) {
    throw cannotListen({ host, port }, error);
  }
  probe.close();
  await once(probe, 'close');
}

function cannotListen({ host, port }: Pick<Config, 'host' | 'port'>, cause: unknown): StartError {
  const reason = messageOf(cause);
  return new StartError(`LATCHKEY_HOST ${host} and LATCHKEY_PORT ${port} cannot be used (${reason})`, { cause });
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}

function addressOf(app: FastifyInstance, config: Config): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls ? 'https' : 'http'}://${host}:${portOf(app)}`;
}

/**
 * Turns off V8's pretenuring. While caches fill, most allocations survive, from which V8 concludes that the same code
 * will go on like that and allocates requests in the old generation too. Everything that a request refers to then
 * outlives it, and the garbage collector takes half of the CPU time (measured: tests/benchmarks/README.md,
 * "Pretenuring").
 */
function allocateInYoungGeneration(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
