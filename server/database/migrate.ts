/**
 * Brings the tables up to date: applies, in order, the migrations of a static list that the database does not have yet.
 * Kysely's `Migrator` is not used, because on SQLite it runs migrations outside of a transaction, so that a killed process
 * would leave half of one. These run in one transaction of `Database.write`, and throw `StartError` for a database of a
 * newer version.
 */
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { StartError } from '../errors.ts';
import { type Database, type Executor, isPostgres, type Migration, type Transaction } from './database.ts';
import { baseline } from './migrations/baseline/baseline.ts';
import { lockByName } from './row-locks.ts';

/** The migrations of this version, in order. */
export const migrations: readonly Migration[] = [baseline];

/** Names of the migrations that a database of this version has, in order. */
export const migrationNames: readonly string[] = migrations.map(({ name }) => name);

/**
 * Applies the missing migrations, all in one transaction. Throws `StartError` if the database has a migration of a
 * newer version.
 */
export async function migrate(database: Pick<Database, 'write'>, clock: Clock, wanted = migrations): Promise<void> {
  await database.write(async (transaction) => {
    if (isPostgres(transaction)) await endWithClient(transaction);
    await lockByName(transaction, 'migrations');
    await createList(transaction);
    for (const migration of await findMissing(transaction, wanted)) await applyOne(transaction, migration, clock.now());
  });
}

/**
 * Makes PostgreSQL look during a long statement, such as the creation of an index, whether this process still exists:
 * otherwise it would hold the locks on tables until the end of the statement. Versions before 14 cannot.
 */
async function endWithClient(transaction: Transaction): Promise<void> {
  await sql`select set_config(name, '5000', true) from pg_settings where name = 'client_connection_check_interval'`.execute(
    transaction,
  );
}

/**
 * Returns the migrations still missing in a database that already has the migrations table, in order. Throws
 * `StartError` if it has one of a newer version, or of a version before the first release.
 */
export async function findMissing(executor: Executor, wanted = migrations): Promise<Migration[]> {
  const rows = await executor.selectFrom('migrations').select('name').execute();
  const applied = rows.map(({ name }) => name);
  const unknown = applied.find((name) => !wanted.some((migration) => migration.name === name));
  if (unknown !== undefined) {
    throw new StartError(
      isBeforeFirstRelease(applied)
        ? 'the database is of a version before the first release, which cannot be upgraded: start with an empty one.'
        : `the database is of a newer version (it has "${unknown}"): start that version instead.`,
    );
  }
  return wanted.filter(({ name }) => !applied.includes(name));
}

/** Returns true if a database with these migrations dates from before the first release. */
export function isBeforeFirstRelease(applied: readonly string[]): boolean {
  return applied.includes('0001-initial-tables');
}

/** Applies these migrations to an empty database, or to one that has all earlier ones. */
export async function applyMigrations(
  wanted: readonly Migration[],
  transaction: Transaction,
  nowMs: number,
): Promise<void> {
  await createList(transaction);
  for (const migration of wanted) await applyOne(transaction, migration, nowMs);
}

async function applyOne(transaction: Transaction, { name, apply }: Migration, nowMs: number): Promise<void> {
  await apply(transaction, nowMs);
  await transaction.insertInto('migrations').values({ name, applied_at_ms: nowMs }).execute();
}

async function createList(transaction: Transaction): Promise<void> {
  const [integer, strict] = isPostgres(transaction) ? ['bigint', ''] : ['integer', 'strict'];
  const table = `create table if not exists migrations (name text primary key, applied_at_ms ${integer} not null) ${strict}`;
  await sql.raw(table).execute(transaction);
}
