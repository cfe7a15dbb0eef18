/** The ways in which servers are deployed: on which database, in how many processes, with or without Redis. */
import { afterAll, beforeAll, describe } from 'vitest';
import { Admin } from './admin.ts';
import type { Settings } from './environment.ts';
import { type HttpServer, openHttpServer } from './http-server.ts';
import { findPostgres, startPostgres, type TestPostgres } from './postgres.ts';
import { findRedis, startRedis, type TestRedis } from './redis.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';
import { onceStarted } from './test-server.ts';

export type Deployment = {
  readonly database: 'SQLite' | 'PostgreSQL';
  readonly processes: 1 | 2;
  readonly withRedis: boolean;
};

export const postgresDeployments: readonly Deployment[] = [
  { database: 'PostgreSQL', processes: 1, withRedis: false },
  { database: 'PostgreSQL', processes: 1, withRedis: true },
  { database: 'PostgreSQL', processes: 2, withRedis: false },
  { database: 'PostgreSQL', processes: 2, withRedis: true },
];

/** For what does not depend on rate limits, the only thing that a server keeps in Redis. */
export const postgresWithoutRedis = postgresDeployments.filter(({ withRedis }) => !withRedis);

export type Stores = {
  /** Throws if it is not installed. */
  readonly postgres: TestPostgres;
  /** Returns settings for an empty database, and for Redis if the deployment has it. */
  settingsFor(deployment: Deployment): Promise<Settings>;
};

/**
 * Defines a test block for each deployment, skipped if something it needs is not installed. All blocks share one
 * PostgreSQL and one Redis, started before their cases and stopped after them.
 */
export function describeDeployments(
  deployments: readonly Deployment[],
  define: (deployment: Deployment, stores: Stores) => void,
): void {
  const programs = { postgres: findPostgres(), redis: findRedis() };
  const stores = sharedStores(programs);
  for (const deployment of deployments) {
    const { database, processes, withRedis } = deployment;
    const isMissing =
      (database === 'PostgreSQL' && programs.postgres === undefined) || (withRedis && programs.redis === undefined);
    const name = `${database}, ${processes === 1 ? 'one process' : 'two processes'}, ${withRedis ? 'with' : 'without'} Redis`;
    describe.skipIf(isMissing)(name, () => define(deployment, stores));
  }
}

type Programs = { readonly postgres: string | undefined; readonly redis: string | undefined };

function sharedStores(programs: Programs): Stores {
  let postgres: TestPostgres | undefined;
  let redis: TestRedis | undefined;
  beforeAll(async () => {
    if (programs.postgres !== undefined) postgres = await startPostgres(programs.postgres);
    if (programs.redis !== undefined) redis = await startRedis(programs.redis);
  });
  afterAll(async () => {
    await postgres?.stop();
    await redis?.stop();
  });
  const running = onceStarted(() => postgres);
  return {
    postgres: running,
    settingsFor: async ({ database, withRedis }) => ({
      ...(database === 'PostgreSQL' ? { DATABASE_URL: await running.createDatabase() } : {}),
      ...(withRedis ? { REDIS_URL: onceStarted(() => redis).url } : {}),
    }),
  };
}

/** Starts as many processes as the deployment has, one after the other. */
export async function startProcesses<T>({ processes }: Deployment, start: () => Promise<T>): Promise<T[]> {
  const started: T[] = [];
  while (started.length < processes) started.push(await start());
  return started;
}

export type SharedServers = {
  readonly admin: Admin;
  readonly servers: readonly HttpServer[];
  /** Starts another process on the same data. */
  start(): Promise<HttpServer>;
};

/**
 * Starts the processes of a test block before its cases and stops them after. Rate limits are
 * off unless `settings` set them.
 */
export function sharedServers(deployment: Deployment, stores: Stores, settings: Settings = {}): SharedServers {
  const folder = makeTemporaryFolder();
  const started: HttpServer[] = [];
  let shared: SharedServers | undefined;
  beforeAll(async () => {
    const admin = new Admin(folder, { ...settings, ...(await stores.settingsFor(deployment)) });
    const start = async () => {
      const server = await openHttpServer(admin);
      started.push(server);
      return server;
    };
    shared = { admin, servers: await startProcesses(deployment, start), start };
  });
  afterAll(async () => {
    for (const server of started) await server.stop();
    removeFolder(folder);
  });
  return onceStarted(() => shared);
}

/** Returns the server for a turn; turn 0 is the first one. */
export function inTurn<T>(servers: readonly T[], turn: number): T {
  const server = servers[turn % servers.length];
  if (server === undefined) throw new Error('there is no server');
  return server;
}
