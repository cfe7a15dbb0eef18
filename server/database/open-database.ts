/** Opens the database of the service: one connection that writes, one that only reads. */
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import { StartError } from '../errors.ts';
import { type Database, DatabaseUnavailable } from './database.ts';
import { ensureDatabaseFile } from './database-file.ts';
import { migrate } from './migrate.ts';
import { NodeSqliteDialect, WritingSqliteDialect } from './node-sqlite.ts';
import { isBusy, isCorrupt, isSqliteUnavailable } from './sqlite-errors.ts';
import type { Tables } from './tables.ts';
import { WriteQueue } from './write-queue.ts';

/** A write waits for some 10 s for another process (an admin command) before it gives up. */
const lockRetryMs = 20;
const lockTries = 500;

/**
 * Opens the SQLite file at `path`, making it where there is none, and brings its tables up to date.
 * Throws `StartError` for a folder that cannot be used, and for a file that is not ours, is damaged or is of a newer version of the service.
 */
export async function openDatabase(path: string, clock: Clock): Promise<Database> {
  try {
    return await openSound(path, clock);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new StartError(`LATCHKEY_DATA is wrong: ${dirname(path)} cannot be used (${error.message})`, {
        cause: error,
      });
    }
    if (!isCorrupt(error)) throw error;
    throw new StartError(`${path} is damaged: put a backup in its place with "restore".`, { cause: error });
  }
}

async function openSound(path: string, clock: Clock): Promise<Database> {
  ensureDatabaseFile(path);
  const writing = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  writing.exec(
    'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full; pragma trusted_schema = off;',
  );
  // From here on `beginImmediate` does the waiting.
  writing.exec('pragma busy_timeout = 0');
  const writer = new Kysely<Tables>({
    dialect: new WritingSqliteDialect(writing, () => beginImmediate(writing)),
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
      for (const connection of [reading, writing]) if (connection.isOpen) connection.close();
    },
  };
}

/** Waits for a lock without holding up the event loop, where SQLite's own busy time-out would. */
async function beginImmediate(connection: DatabaseSync): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      connection.exec('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error) || tries >= lockTries) throw error;
    }
    await sleep(lockRetryMs);
  }
}

function rethrow(error: unknown): never {
  throw isSqliteUnavailable(error) ? new DatabaseUnavailable(error) : error;
}
