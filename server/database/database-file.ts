/** The SQLite file itself: made once and whole, and never taken for ours when it is not. */
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../start-error.ts';
import { isNotADatabase } from './sqlite-errors.ts';

/** "LtKy": marks a SQLite file as a database of this service (sqlite.org/pragma.html#pragma_application_id). */
export const applicationId = 0x4c744b79;

/**
 * Makes the file where there is none: beside, then linked into place, so that a crash leaves either nothing or our file.
 * Throws `StartError` for a file that is there and is not ours, an empty one included.
 */
export function ensureDatabaseFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) createDatabaseFile(path);
  if (readApplicationId(path) !== applicationId) {
    throw new StartError(
      `${path} is not a database of this service: it is left as it is. Move it away, or set LATCHKEY_DATA to another folder.`,
    );
  }
}

function createDatabaseFile(path: string): void {
  const beside = `${path}.${process.pid}.new`;
  rmSync(beside, { force: true });
  closeSync(openSync(beside, 'wx', 0o600));
  const connection = new DatabaseSync(beside);
  connection.exec(`pragma application_id = ${applicationId}; pragma auto_vacuum = incremental; vacuum;`);
  connection.close();
  syncPath(beside);
  try {
    linkSync(beside, path);
  } catch (error) {
    // Another process that starts at the same moment may have been first; its file is as good.
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(beside, { force: true });
  }
  syncPath(dirname(path));
}

function syncPath(path: string): void {
  // Windows cannot open a folder to sync it.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return;
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function readApplicationId(path: string): number | undefined {
  if (!statSync(path).isFile() || statSync(path).size === 0) return undefined;
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return Number(connection.prepare('pragma application_id').get()?.application_id);
  } catch (error) {
    if (isNotADatabase(error)) return undefined;
    throw error;
  } finally {
    connection.close();
  }
}
