/**
 * Heartbeats on PostgreSQL: compared with pgbench on the same server, with a more distant database, and with two
 * processes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findPostgres, query, startPostgres } from '../../harness/postgres.ts';
import type { BenchRun } from '../bench-run.ts';
import { measureLoads } from '../load/measure-load.ts';
import { type Contender, NotAvailable, type Sample } from '../measurement.ts';
import { insertIntoPostgres } from '../seed/insert-rows.ts';
import { growingAccounts } from '../seed/installation.ts';
import { seedDatabase } from '../seed/seed-database.ts';
import { memberRows } from '../seed/seeded-accounts.ts';
import { firstNumberOf } from './bare-routes.ts';
import { DelayingProxy } from './delaying-proxy.ts';
import { type LoadPart, numbered, pathOf, toLoad, warmUp } from './http-contender.ts';
import { startLatchkey } from './server-processes.ts';
import { newDeviceOf } from './sqlite-endpoints.ts';

const group = 'postgres';
const addedMs = 1;
/** Enough for pgbench and the pools of three server processes. */
const maxConnections = 300;

export function postgresEndpoints(run: BenchRun): Contender[] {
  const installation = run.once(() => startInstallation(run));
  const near = run.once(async () => startLatchkey(run, (await installation()).settings));
  const proxy = run.once(async () => {
    const started = await DelayingProxy.start((await installation()).url, addedMs);
    run.atEnd(() => started.stop());
    return started;
  });
  const startFar = async () => {
    const { settings } = await installation();
    return startLatchkey(run, { ...settings, DATABASE_URL: (await proxy()).url });
  };
  const [far, farther] = [run.once(startFar), run.once(startFar)];

  const heartbeats = (name: string, mark: string, servers: readonly (typeof near)[]): Contender => ({
    name,
    group,
    async measure(round) {
      const { accessTokens } = await installation();
      const started = await Promise.all(servers.map((start) => start()));
      // Only the devices are new: their users have used the app before.
      await Promise.all(started.map(({ url }) => warmUp(toLoad(run, url, statusOf(accessTokens)))));
      const targets = started.map(({ url, pid }, index) => {
        const part = newDevices(accessTokens, `${mark}${index}`, round);
        return { pid, load: toLoad(run, url, part) };
      });
      return await measureLoads(targets);
    },
  });

  return [
    {
      name: 'pgbench: one-row upsert',
      group,
      measure: async () => measurePgbench(await installation(), run.effort),
    },
    heartbeats('PostgreSQL: heartbeat', 'a', [near]),
    {
      name: 'PostgreSQL 1 ms away: round trip',
      group,
      measure: async () => ({ milliseconds: await (await proxy()).measureRoundTripMs() }),
    },
    heartbeats('PostgreSQL 1 ms away: heartbeat', 'b', [far]),
    heartbeats('PostgreSQL 1 ms away: two processes', 'c', [far, farther]),
  ];
}

function statusOf(accessTokens: readonly string[]): LoadPart {
  return {
    path: pathOf('subscriptionStatus'),
    method: 'GET',
    requests: accessTokens.map((token) => ({ token })),
    marker: '"has_subscription":',
  };
}

function newDevices(accessTokens: readonly string[], mark: string, round: number): LoadPart {
  return {
    path: pathOf('heartbeat'),
    requests: numbered(0, accessTokens.length, (number) => ({
      token: accessTokens[number] ?? '',
      body: JSON.stringify({ device_id: newDeviceOf(mark.toUpperCase()) }),
    })),
    firstNumber: firstNumberOf(round),
    marker: '"success":true',
  };
}

type PostgresInstallation = {
  readonly programs: string;
  readonly url: string;
  readonly settings: { readonly DATABASE_URL: string; readonly LATCHKEY_DATA: string };
  readonly accessTokens: readonly string[];
  readonly upsertScript: string;
};

async function startInstallation(run: BenchRun): Promise<PostgresInstallation> {
  const programs = findPostgres();
  if (programs === undefined) throw new NotAvailable('PostgreSQL is not installed');
  run.tell('starting PostgreSQL');
  const starting = startPostgres(programs, maxConnections);
  run.atEnd(() => starting.then((started) => started.stop()).catch(() => undefined));
  const postgres = await starting;
  const url = await postgres.createDatabase();
  const settings = { DATABASE_URL: url, LATCHKEY_DATA: run.newFolder() };
  const { count } = growingAccounts;
  const plan = { accounts: count, accessTokens: count, rowsOf: memberRows };
  const { accessTokens } = await seedDatabase(settings, plan, insertIntoPostgres(url));
  const upsertScript = join(settings.LATCHKEY_DATA, 'upsert.sql');
  writeFileSync(upsertScript, pgbenchScript);
  await query(url, upsertedTable);
  await query(url, earlierActivity);
  return { programs, url, settings, accessTokens, upsertScript };
}

const upsertedTable = `create table upserted (
  device_id text not null,
  network text not null,
  first_seen_at_ms bigint not null,
  last_seen_at_ms bigint not null,
  heartbeats bigint not null,
  primary key (device_id, network)
)`;

/** The state after the first minute: as long as the statistics say that the table is empty, its index is not used. */
const earlierActivity = `
  insert into device_activity
    (device_id, user_id, network, instance, first_seen_at_ms, last_seen_at_ms, heartbeats, returns)
  select 'HW-' || id, id, '192.0.2.0/24', '', 1700000000000, 1700000000000, 1, 0 from users;
  analyze device_activity`;

/** Almost always a new row, like the heartbeats with which it is compared. */
const pgbenchScript = `\\set device random(1, 1000000000000)
insert into upserted values (:device, '192.0.2.0/24', 1700000000000, 1700000000000, 1)
on conflict (device_id, network) do update set last_seen_at_ms = excluded.last_seen_at_ms, heartbeats = upserted.heartbeats + 1;
`;

/**
 * Each client runs a number of transactions: with a limit of time, which begins before the clients have connected, a
 * slow machine may end without any.
 */
const transactionsPerClient = 300;

async function measurePgbench(
  { programs, url, upsertScript }: PostgresInstallation,
  { connections, seconds }: BenchRun['effort'],
): Promise<Sample> {
  const beside = join(programs, 'pgbench');
  const words = [
    '-n',
    '-M',
    'prepared',
    '-c',
    `${connections}`,
    '-j',
    '1',
    '-t',
    `${Math.ceil(transactionsPerClient * seconds)}`,
    '-f',
    upsertScript,
    url,
  ];
  const child = spawn(existsSync(beside) ? beside : 'pgbench', words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const started = once(child, 'spawn').catch(() => {
    throw new NotAvailable('pgbench is not installed');
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), started]);
  const perSecond = Number(/^tps = ([\d.]+)/m.exec(output)?.[1]);
  if (!/^number of failed transactions: 0 /m.test(output)) throw new Error(`pgbench failed: ${errors}`);
  return { perSecond };
}
