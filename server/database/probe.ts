/** Finds out whether the database can be read and written, and whether it has space for anything new. */
import { sql } from 'kysely';
import { Deadline, deadlineMs, runWithDeadline, withinTime } from '../deadline.ts';
import { type Database, isPostgres, type Transaction } from './database.ts';
import { DatabaseUnavailable } from './database-errors.ts';

/** Throws `DatabaseUnavailable` if the database cannot be read and written in time. */
export type Probe = () => Promise<void>;

/** How long a caller waits for the probe. */
const timeoutMs = 3000;
/** The log of SQLite may have room for a few pages although the disk is full. */
const sqliteProbeBytes = 65_536;

/**
 * Returns the probe of a database. Its work continues after it has thrown: a query that exceeds its own time limit
 * shows that connections no longer respond, and then the idle ones are replaced too. It runs once at a time; calls made
 * meanwhile share its result.
 */
export function createProbe(database: Database): Probe {
  let running: Promise<void> | undefined;
  return async () => {
    running ??= probeDatabase(database).finally(() => {
      running = undefined;
    });
    try {
      await withinTime(running, timeoutMs, () => new Error(`no response within ${timeoutMs} ms`));
    } catch (error) {
      throw error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable(error);
    }
  };
}

/**
 * Reads, and writes without changing anything. After a failed write it really writes, since a statement without effect
 * needs no disk space.
 */
async function probeDatabase(database: Database): Promise<void> {
  const { writeStatistics } = database;
  const isReal = writeStatistics.hasFailed;
  await runWithDeadline(new Deadline(deadlineMs), () =>
    Promise.all([
      database.read.selectFrom('meta').select('name').limit(1).execute(),
      database.write(async (transaction) => {
        await transaction.deleteFrom('meta').where('name', '=', 'probe').execute();
        if (isReal) await probeSpace(transaction);
      }),
    ]),
  );
  if (isReal) writeStatistics.hasFailed = false;
}

/**
 * Stores something, and fails if the disk is full. On PostgreSQL that is a temporary table, because a row may fit into a
 * page that exists. On SQLite it is a row of `meta`, which the next probe removes.
 */
export async function probeSpace(transaction: Transaction): Promise<void> {
  if (isPostgres(transaction)) {
    await sql`create temporary table probe on commit drop as select 1 as value`.execute(transaction);
  } else
    await transaction
      .insertInto('meta')
      .values({ name: 'probe', value: '0'.repeat(sqliteProbeBytes) })
      .execute();
}
