/** Brings the tables up to date at start: the migrations of a static list that were not applied yet, in order. */
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { StartError } from '../errors.ts';
import type { Database, Transaction } from './database.ts';
import type { Dialect, Migration } from './migration.ts';
import { initialTables } from './migrations/initial-tables.ts';
import { refreshTokenIndexes } from './migrations/refresh-token-indexes.ts';
import { seedPlans } from './migrations/seed-plans.ts';

const migrations: readonly Migration[] = [initialTables, seedPlans, refreshTokenIndexes];

/** What a database of this version has applied, in order. */
export const migrationNames: readonly string[] = migrations.map(({ name }) => name);

/**
 * Applies what is missing, all in one transaction.
 * Throws `StartError` when the database was last used by a newer version of the service.
 */
export async function migrate(write: Database['write'], dialect: Dialect, clock: Clock): Promise<void> {
  await write(async (transaction) => {
    const applied = await readApplied(transaction, dialect);
    const unknown = applied.find((name) => !migrations.some((migration) => migration.name === name));
    if (unknown) {
      throw new StartError(`the database is of a newer version (it has "${unknown}"): start that version instead.`);
    }
    const missing = migrations.filter(({ name }) => !applied.includes(name));
    for (const migration of missing) await applyOne(transaction, migration, { dialect, nowMs: clock.now() });
  });
}

/** Makes the tables of an empty database as they were once the migrations of those names had been applied. */
export async function migrateTo(
  names: readonly string[],
  transaction: Transaction,
  { dialect, nowMs }: { dialect: Dialect; nowMs: number },
): Promise<void> {
  await readApplied(transaction, dialect);
  const wanted = migrations.filter(({ name }) => names.includes(name));
  for (const migration of wanted) await applyOne(transaction, migration, { dialect, nowMs });
}

async function applyOne(
  transaction: Transaction,
  { name, apply }: Migration,
  { dialect, nowMs }: { dialect: Dialect; nowMs: number },
): Promise<void> {
  await apply(transaction, dialect, nowMs);
  await transaction.insertInto('migrations').values({ name, applied_at_ms: nowMs }).execute();
}

async function readApplied(transaction: Transaction, dialect: Dialect): Promise<string[]> {
  const strict = sql.raw(dialect === 'sqlite' ? 'strict' : '');
  const integer = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
  await sql`create table if not exists migrations (name text primary key, applied_at_ms ${integer} not null) ${strict}`.execute(
    transaction,
  );
  const rows = await transaction.selectFrom('migrations').select('name').execute();
  return rows.map((row) => row.name);
}
