/** Transport `inject`: the whole service in this process, on a SQLite file of its own or on the `DATABASE_URL` of its settings, with a clock that the test moves. */
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { buildApp } from '../../server/app.ts';
import { type Config, readConfig } from '../../server/config.ts';
import type { Database } from '../../server/database/database.ts';
import { openDatabase } from '../../server/database/open-database.ts';
import type { SqliteOptions } from '../../server/database/sqlite-database.ts';
import { systemRandom } from '../../server/random.ts';
import { systemScheduler } from '../../server/scheduler.ts';
import { openSecrets, type Secrets } from '../../server/secrets.ts';
import { createServices, type Services } from '../../server/services.ts';
import { limitsOff, type Settings } from './environment.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { runAdmin } from './run-admin.ts';
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
  /** The services of an admin beside the app, on the same database and clock. */
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

  /** On the app's own database and clock, instead of a second connection. */
  readonly admin = (...words: string[]): Promise<Json> => runAdmin(words, this.services, this.dataFolder);

  /** Everything that was logged so far, one JSON line each. */
  readonly logText = (): string => this.#log.join('');

  /** Stops the app and leaves its data, on which another one may start. */
  readonly stop = async (): Promise<void> => {
    await this.app.close();
    await this.database.close();
  };
}

/** Starts an app without rate limits, unless `settings` say otherwise; on the clock and folder of another app, or on new ones. */
export async function startApp(
  settings: Settings = {},
  {
    clock = createFakeClock(),
    dataFolder = makeTemporaryFolder(),
    deadlineMs,
    sqlite,
  }: { clock?: FakeClock; dataFolder?: string; deadlineMs?: number; sqlite?: SqliteOptions } = {},
): Promise<TestApp> {
  const config = readConfig({ ...limitsOff, LATCHKEY_DATA: dataFolder, ...settings });
  const log: string[] = [];
  const database = await openDatabase(config, clock, sqlite);
  const secrets = await openSecrets(config.secretsFile, database, systemRandom);
  const logger = pino({ level: 'trace' }, { write: (line: string) => log.push(line) });
  const deps = { config, database, secrets, clock, random: systemRandom, scheduler: systemScheduler };
  const app = await buildApp({
    ...deps,
    logger,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  const services = createServices(deps);
  return new TestApp({ ...deps, app, services, log }, dataFolder);
}

/** The app of one test: stopped, and its folder removed, when the test is over. */
export async function startTestApp(
  settings: Settings = {},
  options: { deadlineMs?: number; sqlite?: SqliteOptions } = {},
): Promise<TestApp> {
  const server = await startApp(settings, options);
  onTestFinished(async () => {
    await server.stop();
    removeFolder(server.dataFolder);
  });
  return server;
}

/** The app of a test file or block: started before its cases, stopped after them. Rate limits are off unless `settings` set them. */
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
