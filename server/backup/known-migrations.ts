/** Refuses databases and backups of versions that this one does not know. */
import { isBeforeFirstRelease } from '../database/migrate.ts';
import type { TablesReport } from './inspection.ts';
import { BackupError } from './store.ts';

/**
 * Throws `BackupError` NEWER_VERSION or DEVELOPMENT_VERSION about `what` if it has migrations that this version does
 * not know. `advice` says what to do if it is newer.
 */
export function requireKnownMigrations(
  { unknownMigrations }: Pick<TablesReport, 'unknownMigrations'>,
  what: string,
  advice: string,
): void {
  if (unknownMigrations.length === 0) return;
  if (isBeforeFirstRelease(unknownMigrations)) {
    const message = `${what} is of a version before the first release, which this version cannot use.`;
    throw new BackupError('DEVELOPMENT_VERSION', message);
  }
  throw new BackupError(
    'NEWER_VERSION',
    `${what} is of a newer version (it has "${unknownMigrations.join(', ')}"): ${advice}`,
  );
}
