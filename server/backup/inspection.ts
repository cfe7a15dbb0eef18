/** Examines a database and its secrets file: versions, row counts, and everything that is wrong with them. */
import { existsSync } from 'node:fs';
import { auditKeys, type Head } from '../audit/audit-chain.rules.ts';
import { type AuditReport, verifyAuditLog } from '../audit/chain-verification.ts';
import type { Executor } from '../database/database.ts';
import { migrationNames } from '../database/migrate.ts';
import { type Tables, tableOrder } from '../database/tables.ts';
import { StartError } from '../errors.ts';
import { toSecretKeys } from '../secrets/secret-key.ts';
import { StoredSecrets, secretsBelongTo } from '../secrets/secrets.ts';
import { warnOfWaitingEvents } from '../waiting-events.ts';
import { warnOfWaitingMails } from '../waiting-mails.ts';
import { type BackupRow, listBackups } from './backup.repository.ts';
import { findDamage, withSqliteFile } from './sqlite-file.ts';

export type TablesReport = {
  /** Applied migrations, in order. */
  readonly migrations: string[];
  /** Applied migrations that this version of the service does not know. */
  readonly unknownMigrations: string[];
  /** Migrations that the next start of the server will apply. */
  readonly pendingMigrations: string[];
  readonly rows: Record<string, number>;
  /** What is wrong, one message each. */
  readonly problems: string[];
};

/** Whether the secrets file is the one that belongs to the database; `unknown` for a database that has no such data. */
export type SecretsStatus = 'match' | 'missing' | 'damaged' | 'other' | 'unknown';

export type Inspection = TablesReport & { readonly secrets: SecretsStatus };

/**
 * What `check` examines in addition. Problems of the audit chain are only found here, since a backup of such a log can
 * still be taken and restored.
 */
export type FullInspection = Inspection & {
  readonly audit: AuditReport;
  /** Scheduled backups, newest first. */
  readonly backups: readonly BackupRow[];
  readonly keys: readonly KeyFact[];
  /** Number of owners among the staff; undefined if the database has no staff table yet. */
  readonly owners: number | undefined;
  /** What is allowed but should be known, one message each. */
  readonly warnings: readonly string[];
};

/** What `check` passes on. */
export type InspectionInput = {
  readonly secretsFile: string;
  /** See `verifyAuditLog`. */
  readonly remembered: Head | undefined;
  readonly nowMs: number;
  /** True if the settings name a mail server. */
  readonly isMailOn: boolean;
};

/** A key in use. */
export type KeyFact = { readonly purpose: string; readonly kid: string; readonly createdAtMs: number };

/** Reads all tables, and checks whether the secrets belong to them; `advice` says what to do if they do not. */
async function inspectData(executor: Executor, secretsFile: string, advice = ''): Promise<Inspection> {
  const tables = await inspectTables(executor);
  const secrets = tables.rows.meta === undefined ? 'unknown' : await checkSecrets(secretsFile, executor);
  const problem = describeSecretsProblem(secrets, secretsFile);
  return { ...tables, secrets, problems: problem ? [...tables.problems, problem + advice] : tables.problems };
}

const secretsAdvice =
  ': keep the server running, because it still has its secrets but cannot start again, and put the file back from the newest backup, which contains it as secrets.json';

/**
 * Like `inspectData`, plus the audit log, whose problem is added to the list. Everything is read in one transaction.
 */
export async function inspectFully(executor: Executor, input: InspectionInput): Promise<FullInspection> {
  const { secretsFile, remembered } = input;
  const found = await inspectData(executor, secretsFile, secretsAdvice);
  const backups = 'backups' in found.rows ? await listBackups(executor) : [];
  const keys = [
    ...('signing_keys' in found.rows ? await readKeys(executor) : []),
    ...(found.secrets === 'match' ? readSecretKeys(secretsFile) : []),
  ];
  const owners = 'staff' in found.rows ? await countOwners(executor) : undefined;
  const warnings = isComplete(found.migrations) ? await findWarnings(executor, input) : [];
  const facts = { backups, keys, owners, warnings };
  if (!('audit_events' in found.rows)) return { ...found, audit: noAuditLog, ...facts };
  const auditLogKeys = found.secrets === 'match' ? auditKeys(new StoredSecrets(secretsFile).masterKeys) : undefined;
  const { report, problem } = await verifyAuditLog(executor, auditLogKeys, remembered);
  return { ...found, audit: report, ...facts, problems: problem ? [...found.problems, problem] : found.problems };
}

async function findWarnings(executor: Executor, input: InspectionInput): Promise<string[]> {
  return [
    ...(await findOverfullLicenses(executor)),
    ...(await warnOfWaitingMails(executor, input)),
    ...(await warnOfWaitingEvents(executor, input.nowMs)),
  ];
}

const noAuditLog: AuditReport = { entries: 0, sealed: 0, unsealed: 0, ok: true };

/**
 * Like `inspectData`, for a SQLite file, even while the server writes to it. The tables of a damaged file are not read.
 */
export async function inspectSqlite(databaseFile: string, secretsFile: string): Promise<Inspection> {
  return withSqliteFile(databaseFile, async (file) => {
    const problems = findDamage(file);
    return problems.length === 0 ? inspectData(file.executor, secretsFile) : { ...nothingRead, problems };
  });
}

/**
 * Like `inspectSqlite`, but without SQLite's own checks, which read the whole file: for a file that is checked later.
 */
export function inspectUncheckedSqlite(databaseFile: string, secretsFile: string): Promise<Inspection> {
  return withSqliteFile(databaseFile, ({ executor }) => inspectData(executor, secretsFile));
}

/** Like `inspectFully`, for a SQLite file. */
export async function inspectSqliteFully(databaseFile: string, input: InspectionInput): Promise<FullInspection> {
  return withSqliteFile(databaseFile, async (file) => {
    const problems = findDamage(file);
    if (problems.length > 0) return { ...nothingRead, problems };
    return file.executor.transaction().execute((transaction) => inspectFully(transaction, input));
  });
}

/** What is known of a damaged file. */
const nothingRead: FullInspection = {
  migrations: [],
  unknownMigrations: [],
  pendingMigrations: [],
  rows: {},
  secrets: 'unknown',
  problems: [],
  audit: noAuditLog,
  backups: [],
  keys: [],
  owners: undefined,
  warnings: [],
};

/** Reads every table. A table that does not exist yet has no rows and no problems. */
export async function inspectTables(executor: Executor): Promise<TablesReport> {
  const present = await listTables(executor);
  const migrations = present.includes('migrations') ? await readMigrations(executor) : [];
  const rows: Record<string, number> = {};
  for (const table of present) rows[table] = await countRows(executor, table);
  return {
    migrations,
    unknownMigrations: migrations.filter((name) => !migrationNames.includes(name)),
    pendingMigrations: migrationNames.filter((name) => !migrations.includes(name)),
    rows,
    problems: isComplete(migrations) ? await findMixedInstallers(executor) : [],
  };
}

/** Lists the tables that exist, in the order in which rows can be inserted into them. */
export async function listTables(executor: Executor): Promise<(keyof Tables)[]> {
  const names = (await executor.introspection.getTables()).map(({ name }) => name);
  return tableOrder.filter((table) => names.includes(table));
}

function isComplete(migrations: readonly string[]): boolean {
  return migrationNames.every((name) => migrations.includes(name));
}

/** Returns the master key and the pepper in use. */
function readSecretKeys(secretsFile: string): KeyFact[] {
  const keys = toSecretKeys(new StoredSecrets(secretsFile).content).filter(({ retires_at }) => retires_at === null);
  return keys.map(({ purpose, kid, created_at }) => ({ purpose, kid, createdAtMs: Date.parse(created_at) }));
}

/** Returns the signing keys in use, oldest first. */
async function readKeys(executor: Executor): Promise<KeyFact[]> {
  const rows = await executor
    .selectFrom('signing_keys')
    .select(['kid', 'purpose', 'created_at_ms'])
    .where('retired_at_ms', 'is', null)
    .orderBy('created_at_ms')
    .orderBy('kid')
    .execute();
  return rows.map(({ kid, purpose, created_at_ms }) => {
    return { purpose: purpose.replace('_', '-'), kid, createdAtMs: created_at_ms };
  });
}

async function readMigrations(executor: Executor): Promise<string[]> {
  const rows = await executor.selectFrom('migrations').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

async function countRows(executor: Executor, table: keyof Tables): Promise<number> {
  const count = executor.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('rows'));
  return (await count.executeTakeFirstOrThrow()).rows;
}

async function countOwners(executor: Executor): Promise<number> {
  const owners = await executor.selectFrom('staff').select('user_id').where('role', '=', 'owner').execute();
  return owners.length;
}

/** Only a warning, since staff may lower a license's limit below the number of its active devices. */
async function findOverfullLicenses(executor: Executor): Promise<string[]> {
  const rows = await executor
    .selectFrom('licenses')
    .innerJoin('activations', 'activations.license_id', 'licenses.id')
    .where('activations.released_at_ms', 'is', null)
    .groupBy(['licenses.id', 'licenses.max_activations'])
    .having((having) => having(having.fn.countAll(), '>', having.ref('licenses.max_activations')))
    .select('licenses.id')
    .orderBy('licenses.id')
    .execute();
  const [first] = rows;
  if (!first) return [];
  const others =
    rows.length > 1 ? `, and so ${rows.length === 2 ? 'is 1 other' : `are ${rows.length - 1} others`}` : '';
  return [
    `license ${first.id} is active on more devices than it allows${others}, because its limit was lowered: release devices, or raise the limit`,
  ];
}

async function findMixedInstallers(executor: Executor): Promise<string[]> {
  const rows = await executor.selectFrom('installers').select('version').distinct().execute();
  return rows.length > 1 ? ['the published installers are not all of one version'] : [];
}

async function checkSecrets(path: string, executor: Executor): Promise<SecretsStatus> {
  if (!existsSync(path)) return 'missing';
  try {
    return (await secretsBelongTo(executor, new StoredSecrets(path))) ? 'match' : 'other';
  } catch (error) {
    if (error instanceof StartError) return 'damaged';
    throw error;
  }
}

function describeSecretsProblem(status: SecretsStatus, path: string): string | undefined {
  if (status === 'match' || status === 'unknown') return undefined;
  const problem = { missing: 'is missing', damaged: 'cannot be read', other: 'belongs to another database' };
  return `the secrets file ${path} ${problem[status]}`;
}
