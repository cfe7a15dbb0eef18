/** Opens the database of the service: one connection that writes, one that only reads. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import { type Database, DatabaseUnavailable } from './database.ts';
import { ensureDatabaseFile } from './database-file.ts';
import { migrate } from './migrate.ts';
import { NodeSqliteDialect, WritingSqliteDialect } from './node-sqlite.ts';
import { isBusy, isUnavailable } from './sqlite-errors.ts';
import type { Tables } from './tables.ts';
import { WriteQueue } from './write-queue.ts';

/** For how long a write waits for another process (an admin command) before it gives up. */
const lockWaitMs = 10_000;
const lockRetryMs = 15;

/**
 * Opens the SQLite file at `path`, making it where there is none, and brings its tables up to date.
 * Throws `StartError` for a file that is not ours or is of a newer version of the service.
 */
export async function openDatabase(path: string, clock: Clock): Promise<Database> {
  ensureDatabaseFile(path);
  const writing = new DatabaseSync(path, { timeout: 100, enableForeignKeyConstraints: true });
  writing.exec('pragma journal_mode = wal; pragma synchronous = full; pragma trusted_schema = off;');
  const writer = new Kysely<Tables>({
    dialect: new WritingSqliteDialect(writing, () => beginImmediate(writing, clock)),
  });
  const queue = new WriteQueue(writer);
  const write: Database['write'] = (work) => queue.run(work).catch(rethrow);
  try {
    await migrate(write, 'sqlite', clock);
  } catch (error) {
    writing.close();
    throw error;
  }
  const reading = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  const read = new Kysely<Tables>({ dialect: new NodeSqliteDialect(reading) });
  return {
    dialect: 'sqlite',
    read,
    write,
    async close() {
      await queue.idle();
      reading.close();
      writing.close();
    },
  };
}

/** Waits for a lock without holding up the event loop, where SQLite's own busy time-out would. */
async function beginImmediate(connection: DatabaseSync, clock: Clock): Promise<void> {
  const giveUpAt = clock.monotonic() + lockWaitMs;
  for (;;) {
    try {
      connection.exec('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() >= giveUpAt) throw error;
    }
    await sleep(lockRetryMs);
  }
}

function rethrow(error: unknown): never {
  throw isUnavailable(error) ? new DatabaseUnavailable(error) : error;
}
