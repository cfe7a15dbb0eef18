/** The thread that checkpoints: copies a SQLite database's write-ahead log into its file, which waits for the disk. */
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** `isComplete`: all of the log is in the file and on the disk, and the next write begins a new log. */
export type CheckpointResult = { readonly isComplete: boolean } | { readonly error: unknown };

/** How long a checkpoint waits, and makes writers wait, for connections that are still reading from the log. */
const readersTimeoutMs = 50;

/** Never creates the file: it may have been moved away. */
const file = pathToFileURL(String(workerData));
file.search = 'mode=rw';

const connect = () => new DatabaseSync(file, { timeout: readersTimeoutMs });

function checkpoint(): boolean {
  const [connection, reader] = [connect(), connect()];
  try {
    connection.exec('pragma synchronous = normal');
    // While something reads from the log, no writer begins a new one, which it would have to sync first.
    reader.exec('begin; select 1 from sqlite_master');
    connection.exec('pragma wal_checkpoint(passive)');
    reader.exec('rollback');
    // What was written meanwhile is little, and writers wait for it.
    const result = connection.prepare('pragma wal_checkpoint(truncate)').get();
    if (result?.busy !== 0) return false;
    // Any write begins the new log. This one writes the value that is there.
    const version = Number(connection.prepare('pragma user_version').get()?.user_version);
    connection.exec(`pragma user_version = ${version}`);
    return true;
  } finally {
    reader.close();
    connection.close();
  }
}

function report(): CheckpointResult {
  try {
    return { isComplete: checkpoint() };
  } catch (error) {
    return { error };
  }
}

parentPort?.on('message', () => parentPort?.postMessage(report()));
