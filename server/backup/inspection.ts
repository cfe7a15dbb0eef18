/** Examines a database and its secrets file: versions, row counts, and everything that is wrong with them. */
import { existsSync } from 'node:fs';
import { auditKeys, type Head } from '../audit/audit-chain.rules.ts';
import { type AuditReport, verifyAuditLog } from '../audit/chain-verification.ts';
import type { Executor } from '../database/database.ts';
import { migrationNames } from '../database/migrate.ts';
import { count } from '../database/queries.ts';
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

/**
 * What `check` examines. Problems of the audit chain are only found here, since a backup of such a log can still be
 * taken and restored.
 */
export type Inspection = TablesReport & {
  readonly secrets: SecretsStatus;
  readonly audit: AuditReport;
  /** Scheduled backups, newest first. */
  readonly backups: readonly BackupRow[];
  readonly keys: readonly KeyFact[];
  /** Number of owners among the staff; undefined if the database has no staff table yet. */
  readonly owners: number | undefined;
  /** Names of the plans; undefined if the database has no table of them yet. */
  readonly plans: readonly string[] | undefined;
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

const secretsAdvice =
  ': keep the server running, because it still has its secrets but cannot start again, and put the file back from the newest backup, which contains it as secrets.json';

/** Examines everything. The caller reads in one transaction. */
export async function inspect(executor: Executor, input: InspectionInput): Promise<Inspection> {
  const { secretsFile, remembered } = input;
  const tables = await inspectTables(executor);
  const has = (table: keyof Tables) => table in tables.rows;
  const secrets = await compareSecrets(executor, tables, secretsFile);
  const keys = has('signing_keys') ? await readKeys(executor) : [];
  const auditLogKeys = secrets === 'match' ? auditKeys(new StoredSecrets(secretsFile).masterKeys) : undefined;
  const audit = has('audit_events') ? await verifyAuditLog(executor, auditLogKeys, remembered) : noAuditLog;
  const problems = [
    ...tables.problems,
    ...describeSecretsProblem(secrets, secretsFile).map((problem) => problem + secretsAdvice),
    ...(audit.problem ? [audit.problem] : []),
  ];
  return {
    ...tables,
    secrets,
    audit: audit.report,
    backups: has('backups') ? await listBackups(executor) : [],
    keys: secrets === 'match' ? [...keys, ...readSecretKeys(secretsFile)] : keys,
    owners: has('staff') ? await count(executor.selectFrom('staff').where('role', '=', 'owner')) : undefined,
    plans: has('plans') ? await listPlans(executor) : undefined,
    warnings: isComplete(tables.migrations) ? await findWarnings(executor, input) : [],
    problems,
  };
}

async function findWarnings(executor: Executor, input: InspectionInput): Promise<string[]> {
  return [
    ...(await findOverfullLicenses(executor)),
    ...(await warnOfWaitingMails(executor, input)),
    ...(await warnOfWaitingEvents(executor, input.nowMs)),
  ];
}

const emptyAuditLog: AuditReport = { entries: 0, sealed: 0, unsealed: 0, ok: true };
const noAuditLog = { report: emptyAuditLog, problem: undefined };

/** Like `inspect`, for a SQLite file, even while the server writes to it. The tables of a damaged file are not read. */
export function inspectSqlite(databaseFile: string, input: InspectionInput): Promise<Inspection> {
  return withSqliteFile(databaseFile, async (file) => {
    const problems = findDamage(file);
    if (problems.length > 0) return { ...nothingRead, problems };
    return file.executor.transaction().execute((transaction) => inspect(transaction, input));
  });
}

/**
 * Reads the tables of an unpacked backup, and checks whether its secrets belong to them. If the file is checked later,
 * SQLite's own checks, which read all of it, are left out.
 */
export function inspectBackup(
  databaseFile: string,
  secretsFile: string,
  { isCheckedLater = false } = {},
): Promise<TablesReport> {
  return withSqliteFile(databaseFile, async (file) => {
    const damage = isCheckedLater ? [] : findDamage(file);
    if (damage.length > 0) return { ...nothingRead, problems: damage };
    const tables = await inspectTables(file.executor);
    const secrets = await compareSecrets(file.executor, tables, secretsFile);
    return { ...tables, problems: [...tables.problems, ...describeSecretsProblem(secrets, secretsFile)] };
  });
}

/** What is known of a damaged file. */
const nothingRead: Inspection = {
  migrations: [],
  unknownMigrations: [],
  pendingMigrations: [],
  rows: {},
  secrets: 'unknown',
  problems: [],
  audit: emptyAuditLog,
  backups: [],
  keys: [],
  owners: undefined,
  plans: undefined,
  warnings: [],
};

/** Reads every table. A table that does not exist yet has no rows and no problems. */
export async function inspectTables(executor: Executor): Promise<TablesReport> {
  const present = await listTables(executor);
  const migrations = present.includes('migrations') ? await readMigrations(executor) : [];
  const rows: Record<string, number> = {};
  for (const table of present) rows[table] = await count(executor.selectFrom(table));
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

async function listPlans(executor: Executor): Promise<string[]> {
  const plans = await executor.selectFrom('plans').select('name').execute();
  return plans.map(({ name }) => name);
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

async function compareSecrets(executor: Executor, { rows }: TablesReport, path: string): Promise<SecretsStatus> {
  if (!('meta' in rows)) return 'unknown';
  if (!existsSync(path)) return 'missing';
  try {
    return (await secretsBelongTo(executor, new StoredSecrets(path))) ? 'match' : 'other';
  } catch (error) {
    if (error instanceof StartError) return 'damaged';
    throw error;
  }
}

/** Returns one message, or none. */
function describeSecretsProblem(status: SecretsStatus, path: string): string[] {
  if (status === 'match' || status === 'unknown') return [];
  const problem = { missing: 'is missing', damaged: 'cannot be read', other: 'belongs to another database' };
  return [`the secrets file ${path} ${problem[status]}`];
}
