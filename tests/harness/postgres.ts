/** A PostgreSQL for the tests, if installed: created in a temporary folder, ended with the suite. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import type { PostgresTimeouts } from '../../server/database/postgres-dialect.ts';
import { repository } from './environment.ts';
import { findFolderOf } from './find-program.ts';
import { freePort } from './free-port.ts';
import { waitUntilReady } from './wait-until-ready.ts';

export type TestPostgres = {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Ends PostgreSQL at once, as a machine crash would; its data remains. */
  crash(): Promise<void>;
  /** Restarts PostgreSQL on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

const user = 'latchkey_tests';
const isRoot = process.getuid?.() === 0;

/**
 * Returns the folder of these programs; `undefined` if they are not installed, no user can
 * run them, or TEST_POSTGRES is 0.
 */
export function findPostgres(programs: readonly string[] = ['postgres', 'initdb']): string | undefined {
  if (process.env.TEST_POSTGRES === '0') return undefined;
  if (isRoot && spawnSync('id', ['-u', 'postgres']).status !== 0) return undefined;
  return findFolderOf(programs, globSync('/usr/lib/postgresql/*/bin'));
}

/** Starts PostgreSQL on a free loopback port with this connection limit (PostgreSQL's own default is 100). */
export async function startPostgres(programs: string, maxConnections = 200): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-postgres-'));
  const owner = postgresOwner();
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  createCluster(data, programs);
  const port = await freePort();
  const settings = [
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    `port=${port}`,
    '-c',
    `max_connections=${maxConnections}`,
    '-c',
    `unix_socket_directories=${folder}`,
  ];
  const urlOf = (name: string) => `postgres://${user}@127.0.0.1:${port}/${name}`;
  const run = () => spawn(join(programs, 'postgres'), ['-D', data, ...settings], { ...owner, stdio: 'ignore' });
  let server = run();
  const crash = async () => {
    server.kill('SIGQUIT');
    if (server.exitCode === null) await once(server, 'close');
  };
  await waitUntilReady(() => query(urlOf('postgres'), 'select 1'));
  let made = 0;
  return {
    crash,
    async start() {
      server = run();
      await waitUntilReady(() => query(urlOf('postgres'), 'select 1'));
    },
    async createDatabase() {
      const name = `test_${++made}`;
      await query(urlOf('postgres'), `create database ${name}`);
      return urlOf(name);
    },
    async stop() {
      await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a cluster by copying one that `initdb` made once for this version, which takes a tenth of the time. */
function createCluster(data: string, programs: string): void {
  const initdb = join(programs, 'initdb');
  const version = execFileSync(initdb, ['--version'], { encoding: 'utf8' }).trim();
  const template = join(repository, '.cache', 'postgres', encodeURIComponent(version));
  if (existsSync(template)) {
    copyCluster(template, data);
    return;
  }
  const initialize = ['-D', data, '-U', user, '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  execFileSync(initdb, initialize, { ...postgresOwner(), stdio: 'pipe' });
  mkdirSync(dirname(template), { recursive: true });
  const copy = `${template}.${process.pid}`;
  copyCluster(data, copy);
  try {
    renameSync(copy, template);
  } catch {
    // Another process was faster.
    rmSync(copy, { recursive: true });
  }
}

/** Copies a cluster with owners and permissions, which PostgreSQL requires. */
function copyCluster(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/** For tests that are not about time limits: on a busy machine, a transaction that others wait for may take long. */
export const patientTimeouts: PostgresTimeouts = {
  connectTimeoutMs: 60_000,
  queryTimeoutMs: 60_000,
  lockTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
};

/** Query for the processes of a database that wait for another one's lock. */
export const lockWaits =
  "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/** Query for how many deadlocks there have been in a database. */
export const deadlocks = 'select deadlocks::int from pg_stat_database where datname = current_database()';

/** Runs one statement on a separate connection. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Returns the user that PostgreSQL runs as: its own user if this process is root, because it refuses to run as root.
 */
export function postgresOwner(): { uid?: number; gid?: number } {
  if (!isRoot) return {};
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
