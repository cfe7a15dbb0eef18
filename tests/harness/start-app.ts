/**
 * Transport `inject`: the whole service in this process, with its own SQLite file or the `DATABASE_URL` of its
 * settings, and a clock controlled by the test.
 */
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { buildApp } from '../../server/app.ts';
import type { Database } from '../../server/database/database.ts';
import { openDatabase } from '../../server/database/open-database.ts';
import type { SqliteOptions } from '../../server/database/sqlite-database.ts';
import type { MetricsChannel } from '../../server/metrics/metrics.service.ts';
import { systemScheduler } from '../../server/scheduler.ts';
import { openSecrets, type Secrets } from '../../server/secrets/secrets.ts';
import { createServices, type Services } from '../../server/services.ts';
import { type Config, readConfig } from '../../server/settings/config.ts';
import { systemRandom } from '../../server/system-random.ts';
import { limitsOff, type Settings } from './environment.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { printAdmin, runAdmin } from './run-admin.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';
import { injectTransport, TestClient } from './test-client.ts';
import { type Json, onceStarted, type TestServer } from './test-server.ts';

type TestAppDeps = {
  readonly app: FastifyInstance;
  readonly config: Config;
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: FakeClock;
  readonly services: Services;
  readonly log: readonly string[];
};

export class TestApp implements TestServer {
  readonly app: FastifyInstance;
  readonly config: Config;
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: FakeClock;
  /** Services for admin use beside the app, with the same database and clock. */
  readonly services: Services;
  readonly dataFolder: string;
  readonly call: TestClient['call'];
  readonly request: TestClient['request'];
  readonly #log: readonly string[];

  constructor(deps: TestAppDeps, dataFolder: string) {
    const { app, config, database, secrets, clock, services, log } = deps;
    const client = new TestClient(injectTransport(app));
    this.app = app;
    this.config = config;
    this.database = database;
    this.secrets = secrets;
    this.clock = clock;
    this.services = services;
    this.dataFolder = dataFolder;
    this.call = client.call;
    this.request = client.request;
    this.#log = log;
  }

  readonly now = (): number => this.clock.now();

  /** Runs an admin command with the app's database and clock, instead of a second connection. */
  readonly admin = (...words: string[]): Promise<Json> => runAdmin(words, this.services, this.dataFolder);
  /** Runs an admin command without `--json`; returns what it prints. */
  readonly adminText = (...words: string[]): Promise<string> => printAdmin(words, this.services, this.dataFolder);

  /** Returns everything logged so far, as JSON lines. */
  readonly logText = (): string => this.#log.join('');

  /** Stops the app and keeps its data, so that another app can start with it. */
  readonly stop = async (): Promise<void> => {
    await this.app.close();
    await this.database.close();
  };
}

type AppOptions = {
  readonly deadlineMs?: number;
  readonly sqlite?: SqliteOptions;
  readonly metricsChannel?: MetricsChannel;
};

/**
 * Starts an app without rate limits, unless `settings` set them, with the clock and folder of another app or new ones.
 */
export async function startApp(
  settings: Settings = {},
  {
    clock = createFakeClock(),
    dataFolder = makeTemporaryFolder(),
    sqlite,
    deadlineMs,
    metricsChannel,
  }: { clock?: FakeClock; dataFolder?: string } & AppOptions = {},
): Promise<TestApp> {
  const config = readConfig({ ...limitsOff, LATCHKEY_DATA: dataFolder, ...settings });
  const log: string[] = [];
  const database = await openPatiently(config, clock, sqlite);
  const secrets = await openSecrets(config.secretsFile, database, systemRandom);
  const logger = pino({ level: 'trace' }, { write: (line: string) => log.push(line) });
  const deps = { config, database, secrets, clock, random: systemRandom, scheduler: systemScheduler };
  const app = await buildApp({
    ...deps,
    logger,
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(metricsChannel && { metricsChannel }),
  });
  const services = createServices(deps);
  return new TestApp({ ...deps, app, services, log }, dataFolder);
}

/** Opens the database, with the time limits of `patientTimeouts` if it is in PostgreSQL. */
async function openPatiently(config: Config, clock: FakeClock, sqlite?: SqliteOptions): Promise<Database> {
  if (config.databaseUrl === undefined) return openDatabase(config, clock, sqlite);
  const { openPostgres } = await import('../../server/database/postgres-database.ts');
  const { patientTimeouts } = await import('./postgres.ts');
  return openPostgres(config.databaseUrl, clock, patientTimeouts);
}

/** Starts an app for one test; stops it and removes its folder when the test ends. */
export async function startTestApp(settings: Settings = {}, options: AppOptions = {}): Promise<TestApp> {
  const server = await startApp(settings, options);
  onTestFinished(async () => {
    await server.stop();
    removeFolder(server.dataFolder);
  });
  return server;
}

/**
 * Starts the app of a test file or block before its cases and stops it after. Rate limits are
 * off unless `settings` set them.
 */
export function sharedApp(settings: Settings = {}): TestApp {
  let running: TestApp | undefined;
  beforeAll(async () => {
    running = await startApp(settings);
  });
  afterAll(async () => {
    await running?.stop();
    if (running) removeFolder(running.dataFolder);
  });
  return onceStarted(() => running);
}
