/** What the tables say: which version they are of, how many rows they have, and whether the rows keep their promises. */
import { sql } from 'kysely';
import type { Executor } from '../database/database.ts';
import { migrationNames } from '../database/migrate.ts';
import { type Tables, tableOrder } from '../database/tables.ts';

export type TablesReport = {
  /** The migrations that were applied, in order. */
  readonly migrations: string[];
  /** Those of them that this version of the service does not know. */
  readonly unknownMigrations: string[];
  /** Those that the next start of the server will apply. */
  readonly pendingMigrations: string[];
  readonly rows: Record<string, number>;
  /** What is wrong, one sentence each. */
  readonly problems: string[];
};

/** Reads everything; a table that is not there yet has no rows and no problems. */
export async function inspectTables(executor: Executor): Promise<TablesReport> {
  const names = (await executor.introspection.getTables()).map(({ name }) => name);
  const present = tableOrder.filter((table) => names.includes(table));
  const migrations = present.includes('migrations') ? await readMigrations(executor) : [];
  const rows: Record<string, number> = {};
  for (const table of present) rows[table] = await countRows(executor, table);
  const isComplete = migrationNames.every((name) => migrations.includes(name));
  return {
    migrations,
    unknownMigrations: migrations.filter((name) => !migrationNames.includes(name)),
    pendingMigrations: migrationNames.filter((name) => !migrations.includes(name)),
    rows,
    problems: isComplete ? [...(await findOverfullLicenses(executor)), ...(await findMixedInstallers(executor))] : [],
  };
}

async function readMigrations(executor: Executor): Promise<string[]> {
  const rows = await executor.selectFrom('migrations').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

async function countRows(executor: Executor, table: keyof Tables): Promise<number> {
  const { rows } = await sql<{ n: number | string }>`select count(*) as n from ${sql.table(table)}`.execute(executor);
  return Number(rows[0]?.n ?? 0);
}

async function findOverfullLicenses(executor: Executor): Promise<string[]> {
  const rows = await executor
    .selectFrom('licenses')
    .innerJoin('activations', 'activations.license_id', 'licenses.id')
    .where('activations.released_at_ms', 'is', null)
    .groupBy(['licenses.id', 'licenses.max_activations'])
    .having((having) => having(having.fn.countAll(), '>', having.ref('licenses.max_activations')))
    .select('licenses.id')
    .execute();
  return rows.map(({ id }) => `license ${id} is active on more devices than it allows`);
}

async function findMixedInstallers(executor: Executor): Promise<string[]> {
  const rows = await executor.selectFrom('installers').select('version').distinct().execute();
  return rows.length > 1 ? ['the published installers are not all of one version'] : [];
}
