/**
 * The thread that checkpoints a SQLite database: it copies the write-ahead log into the file and waits for the disk.
 */
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** `isComplete`: the whole log is in the file and on the disk, and the next write starts a new log. */
export type CheckpointResult = { readonly isComplete: boolean } | { readonly error: unknown };

/** How long a checkpoint waits, and makes writers wait, for connections that are still reading from the log. */
const readersTimeoutMs = 50;

/** `mode=rw` never creates the file, which may have been moved away. */
const file = pathToFileURL(String(workerData));
file.search = 'mode=rw';

const connect = () => new DatabaseSync(file, { timeout: readersTimeoutMs });

function checkpoint(): boolean {
  using connection = connect();
  using reader = connect();
  connection.exec('pragma synchronous = normal');
  // While a connection is reading from the log, no writer starts a new one, which it would have to sync first.
  reader.exec('begin; select 1 from sqlite_master');
  connection.exec('pragma wal_checkpoint(passive)');
  reader.exec('rollback');
  // Little was written meanwhile, so writers wait only briefly.
  const result = connection.prepare('pragma wal_checkpoint(truncate)').get();
  if (result?.busy !== 0) return false;
  // Any write starts the new log; this one rewrites the existing value.
  const version = Number(connection.prepare('pragma user_version').get()?.user_version);
  connection.exec(`pragma user_version = ${version}`);
  return true;
}

function report(): CheckpointResult {
  try {
    return { isComplete: checkpoint() };
  } catch (error) {
    return { error };
  }
}

parentPort?.on('message', () => parentPort?.postMessage(report()));
