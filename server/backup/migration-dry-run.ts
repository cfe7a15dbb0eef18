/** `check --upgrade`: finds out what the next start will do to the database, by doing it to a copy. */
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Migration } from '../database/database.ts';
import { applyMigrations, migrations as present } from '../database/migrate.ts';
import { databaseName } from './backup-archive.ts';
import type { TablesReport } from './inspection.ts';
import { requireKnownMigrations } from './known-migrations.ts';
import { type Change, describeChanges, findChanges, readSchema } from './schema-changes.ts';
import { withSqliteFile, writeSqliteFile } from './sqlite-file.ts';
import type { Store } from './store.ts';
import { withTemporaryFolder } from './work-folder.ts';

type PendingMigration = {
  readonly name: string;
  /** What the migration does, in one sentence. */
  readonly does: string;
  /** Tables that it changes or adds, with their row counts. */
  readonly tables: Readonly<Record<string, number>>;
  /** Duration on the copy. */
  readonly took_ms: number;
};

export type UpgradeReport = {
  /** True if the next start changes the database. */
  readonly needed: boolean;
  readonly pending: readonly PendingMigration[];
  /** Duration of all of them on the copy, which is a SQLite file on this machine. */
  readonly took_ms: number;
  /** Size of the copy, or of the database if there is nothing to do. */
  readonly bytes_before: number;
  readonly bytes_after: number;
  /** True if servers of the current version may keep running while new ones start. */
  readonly side_by_side: boolean;
  /** What to do, one sentence each. */
  readonly advice: readonly string[];
};

/**
 * Applies the pending migrations to a copy, and leaves the database unchanged. The copy is in a temporary folder
 * (TMPDIR), which needs as much space as the database, and is deleted afterwards. Throws `BackupError` NEWER_VERSION or
 * DEVELOPMENT_VERSION.
 */
export async function dryRunMigrations(
  store: Store,
  found: Pick<TablesReport, 'migrations' | 'unknownMigrations' | 'rows'> & { readonly bytes: number },
  lastProvenAt: string | null,
  wanted: readonly Migration[] = present,
): Promise<UpgradeReport> {
  requireKnownMigrations(found, 'The database', 'this version cannot use it, and there is no way back but a backup.');
  const pending = wanted.filter(({ name }) => !found.migrations.includes(name));
  if (pending.length === 0) {
    return { ...nothingToDo, bytes_before: found.bytes, bytes_after: found.bytes };
  }
  return withTemporaryFolder(join(tmpdir(), 'latchkey-upgrade-'), async (folder) => {
    const path = join(folder, databaseName);
    await store.copyTo(path);
    const bytesBefore = statSync(path).size;
    const migrations: DryRun[] = [];
    for (const migration of pending) migrations.push(await dryRun(path, migration, found.rows));
    const changes = migrations.flatMap((migration) => migration.changes);
    const isSideBySide = canRunSideBySide(store, changes);
    return {
      needed: true,
      pending: migrations.map(({ report }) => report),
      took_ms: migrations.reduce((sum, { report }) => sum + report.took_ms, 0),
      bytes_before: bytesBefore,
      bytes_after: statSync(path).size,
      side_by_side: isSideBySide,
      advice: giveAdvice({ store, isSideBySide, changes, rows: found.rows, lastProvenAt }),
    };
  });
}

const nothingToDo: Omit<UpgradeReport, 'bytes_before' | 'bytes_after'> = {
  needed: false,
  pending: [],
  took_ms: 0,
  side_by_side: true,
  advice: ['The database is up to date: the next start changes nothing in it.'],
};

type Rows = Readonly<Record<string, number>>;
type DryRun = { readonly report: PendingMigration; readonly changes: readonly Change[] };

async function dryRun(path: string, migration: Migration, rows: Rows): Promise<DryRun> {
  const read = () => withSqliteFile(path, async ({ connection }) => readSchema(connection));
  const before = await read();
  const startedAt = performance.now();
  await writeSqliteFile(path, (transaction) => applyMigrations([migration], transaction, 0));
  const tookMs = Math.ceil(performance.now() - startedAt);
  const changes = findChanges(before, await read());
  const tables = Object.fromEntries(changes.map(({ table }) => [table, rows[table] ?? 0]));
  return { report: { name: migration.name, does: describeChanges(changes, rows), tables, took_ms: tookMs }, changes };
}

function canRunSideBySide(store: Store, changes: readonly Change[]): boolean {
  return store.kind === 'postgres' && changes.every(({ kind }) => kind !== 'drop table' && kind !== 'drop column');
}

/** Above this number of rows, creating an index blocks writes to the table for seconds. */
const manyRows = 1_000_000;

function giveAdvice(input: {
  readonly store: Store;
  readonly isSideBySide: boolean;
  readonly changes: readonly Change[];
  readonly rows: Rows;
  readonly lastProvenAt: string | null;
}): string[] {
  const { store, isSideBySide, changes, rows, lastProvenAt } = input;
  const proven = lastProvenAt === null ? 'No backup was proven yet' : `The last backup was proven at ${lastProvenAt}`;
  const large = changes.filter(({ kind, table }) => kind === 'create index' && (rows[table] ?? 0) >= manyRows);
  const tables = [...new Set(large.map(({ table }) => table))].join(', ');
  return [
    `${proven}: take one now with "admin backup FILE". The version before refuses the database afterwards, so a backup is the only way back.`,
    isSideBySide
      ? 'Servers of the version before may keep running until they are replaced, in any order.'
      : 'Stop all servers of the version before, then start the new version.',
    ...(store.kind === 'postgres' && tables !== ''
      ? [
          `Create the new indexes on ${tables} by hand first ("create index concurrently"): otherwise writes to them wait.`,
        ]
      : []),
    'The first server of the new version that starts does all of it in one transaction: if that fails, nothing has changed.',
  ];
}
