/** The SQLite file itself: made once and whole, and never taken for ours when it is not. */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createFileAtomically } from '../atomic-write.ts';
import { StartError } from '../errors.ts';
import { isNotADatabase } from './sqlite-errors.ts';

/** "LtKy": marks a SQLite file as a database of this service (sqlite.org/pragma.html#pragma_application_id). */
export const applicationId = 0x4c744b79;

/**
 * Makes the file where there is none.
 * Throws `StartError` for a file that is there and is not ours, an empty one included.
 */
export function ensureDatabaseFile(path: string): void {
  if (!existsSync(path)) createFileAtomically(path, fillDatabaseFile);
  if (readApplicationId(path) !== applicationId) {
    throw new StartError(
      `${path} is not a database of this service: it is left as it is. Move it away, or set LATCHKEY_DATA to another folder.`,
    );
  }
}

function fillDatabaseFile(path: string): void {
  const connection = new DatabaseSync(path);
  connection.exec(`pragma application_id = ${applicationId}; pragma auto_vacuum = incremental; vacuum;`);
  connection.close();
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
