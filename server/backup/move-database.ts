/** The command `move-to`: copies the database into another, empty one, of either kind, and compares the two. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFileAtomically } from '../atomic-write.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import { EntryWriter } from '../audit/entry-writer.ts';
import { HeadStore } from '../audit/head-store.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { StoredSecrets, secretsBelongTo } from '../secrets/secrets.ts';
import type { Config } from '../settings/config.ts';
import { copyTables, readTables } from './copy-tables.ts';
import { namingFullDisk } from './full-disk.ts';
import { openStore } from './open-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import { BackupError, type Location, type LockedStore, type Store } from './store.ts';
import { TableDigest, type TableSummary } from './table-digest.ts';

export type MoveTarget =
  | { readonly kind: 'postgres'; readonly url: string }
  /** Absolute path of a data folder. */
  | { readonly kind: 'sqlite'; readonly folder: string };

type MoveReport = {
  readonly from: Location;
  readonly to: Location;
  /** False if the target already had the same content. */
  readonly copied: boolean;
  /** The tables of both databases after the move. */
  readonly tables: readonly ({ readonly table: string } & TableSummary)[];
  /** The secrets file to use with the target. */
  readonly secrets_file: string;
  readonly next_step: string;
};

type MoveInput = Pick<CommonDeps, 'config' | 'clock' | 'random'> & {
  readonly target: MoveTarget;
  readonly by: AuditContext;
  readonly onProgress: (line: string) => void;
};

/**
 * Moves the database. Locks both databases and commits everything in one transaction of the target, so an interrupted
 * move can be repeated. Throws `BackupError` NOT_FOUND, SERVER_RUNNING, SAME_DATABASE, TARGET_NOT_EMPTY,
 * OTHER_DATABASE, NEWER_VERSION, FILE_EXISTS for different secrets in the target's folder, and CHECK_FAILED.
 */
export async function moveDatabase(input: MoveInput): Promise<MoveReport> {
  const { config, target, onProgress } = input;
  const [from, to] = [await openStore(config), await openTarget(target)];
  if (JSON.stringify(from.location) === JSON.stringify(to.location)) {
    throw new BackupError('SAME_DATABASE', 'The target is the database that the settings name.');
  }
  await using source = await from.lock();
  await using locked = await to.lock();
  const secretsFile = target.kind === 'sqlite' ? join(target.folder, 'secrets.json') : config.secretsFile;
  await source.read((executor) => requireOwnSecrets(executor, config.secretsFile));
  await namingFullDisk(dirname(secretsFile), async () => copySecretsFile(config.secretsFile, secretsFile));
  const copied = !locked.exists;
  const tables = copied
    ? await copyAndCompare(source, locked, { onProgress, recordMove: createRecordMove(input, from, to) })
    : await requireSameContent(source, locked, onProgress);
  await copyRememberedHead(config, target, secretsFile);
  return {
    from: from.location,
    to: to.location,
    copied,
    tables: Object.entries(tables).map(([table, summary]) => ({ table, ...summary })),
    secrets_file: secretsFile,
    next_step: describeNextStep(target, secretsFile),
  };
}

/**
 * Copies the secrets file unless it is already there. Throws `BackupError` FILE_EXISTS for a file with different
 * content.
 */
function copySecretsFile(from: string, to: string): void {
  const content = readFileSync(from);
  if (!existsSync(to)) createFileAtomically(to, (temporaryPath) => writeFileSync(temporaryPath, content));
  if (readFileSync(to).equals(content)) return;
  throw new BackupError('FILE_EXISTS', `${to} has other secrets: name a folder without any.`);
}

/**
 * Copies what is remembered of the audit log, so that entries cut off before the move can still be detected after it.
 */
async function copyRememberedHead(config: Config, target: MoveTarget, secretsFile: string): Promise<void> {
  const remembered = await new HeadStore(config).read();
  const placed =
    target.kind === 'postgres'
      ? { ...config, databaseUrl: target.url }
      : { dataFolder: target.folder, databaseUrl: undefined, databaseFile: join(target.folder, 'latchkey.db') };
  await new HeadStore({ ...config, ...placed, secretsFile }).replace(remembered);
}

/** Not with `openStore` for a folder: the message about one that may not be used would name LATCHKEY_DATA. */
async function openTarget(target: MoveTarget): Promise<Store> {
  return target.kind === 'postgres'
    ? openStore({ databaseUrl: target.url, databaseFile: '' })
    : new SqliteStore(join(target.folder, 'latchkey.db'));
}

type Summaries = Readonly<Record<string, TableSummary>>;

type CopyHooks = Pick<MoveInput, 'onProgress'> & { readonly recordMove: (transaction: Transaction) => Promise<void> };

async function copyAndCompare(
  source: LockedStore,
  target: LockedStore,
  { onProgress, recordMove }: CopyHooks,
): Promise<Summaries> {
  const digests = new Digests();
  await source.read((from) =>
    target.fill(async (to) => {
      const copied = await copyTables(from, to, (table, rows) => {
        if (digests.add(table, rows)) onProgress(`copying ${table}`);
      });
      onProgress('comparing both databases');
      // Compares what the target stored before the move becomes final.
      const stored = await digestTables(to);
      const different = findDifference(digests.summaries(), stored);
      if (different === undefined) return copied.includes('audit_events') ? recordMove(to) : undefined;
      throw new BackupError('CHECK_FAILED', `Nothing was moved: the copy of the table ${different} is not the same.`);
    }),
  );
  return digests.summaries();
}

/** Adds an entry to the target's audit log; the source is left unchanged. */
function createRecordMove({ clock, random, by }: MoveInput, from: Store, to: Store): CopyHooks['recordMove'] {
  const target = { kind: 'database', id: '', label: describeLocation(to.location) } as const;
  const event = { ...by, action: 'data.move', target, details: { from: describeLocation(from.location) } } as const;
  return (transaction) => new EntryWriter({ clock, random }).write(transaction, event);
}

function describeLocation(location: Location): string {
  return 'database_file' in location ? location.database_file : location.database_address;
}

async function requireSameContent(
  source: LockedStore,
  target: LockedStore,
  onProgress: (line: string) => void,
): Promise<Summaries> {
  onProgress('comparing both databases');
  const [ours, theirs] = [await source.read(digestTables), await target.read(digestTables)];
  const different = findDifference(ours, theirs);
  if (different === undefined) return ours;
  throw new BackupError(
    'TARGET_NOT_EMPTY',
    `The target has a database with other content already (the table ${different} differs): it is left as it is. Name an empty one.`,
  );
}

async function digestTables(source: Executor): Promise<Summaries> {
  const digests = new Digests();
  await readTables(source, (table, rows) => digests.add(table, rows));
  return digests.summaries();
}

class Digests {
  readonly #tables = new Map<string, TableDigest>();

  /** Returns true if these are the first rows of the table. */
  add(table: keyof Tables, rows: readonly Tables[keyof Tables][]): boolean {
    const known = this.#tables.get(table);
    const digest = known ?? new TableDigest();
    digest.add(table === 'audit_events' ? rows.filter((row) => !isAboutMove(row)) : rows);
    this.#tables.set(table, digest);
    return known === undefined;
  }

  summaries(): Summaries {
    return Object.fromEntries([...this.#tables].map(([table, digest]) => [table, digest.summary()]));
  }
}

/** Returns true for the entry about the move, which only the target has. */
function isAboutMove(row: Tables[keyof Tables]): boolean {
  return 'action' in row && row.action === 'data.move';
}

/** Returns the first table that differs. */
function findDifference(ours: Summaries, theirs: Summaries): string | undefined {
  const tables = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return [...tables].find((table) => JSON.stringify(ours[table]) !== JSON.stringify(theirs[table]));
}

async function requireOwnSecrets(executor: Executor, path: string): Promise<void> {
  if (existsSync(path) && (await secretsBelongTo(executor, new StoredSecrets(path)))) return;
  throw new BackupError('CHECK_FAILED', `Nothing was moved: ${path} does not contain the secrets of the database.`);
}

function describeNextStep(target: MoveTarget, secretsFile: string): string {
  return target.kind === 'postgres'
    ? `Set DATABASE_URL to the new database and keep LATCHKEY_SECRETS_FILE at ${secretsFile}. What is written to the old database from now on is not in the new one.`
    : `Set LATCHKEY_DATA to ${target.folder}, and neither DATABASE_URL nor LATCHKEY_SECRETS_FILE. What is written to the old database from now on is not in the new one.`;
}
