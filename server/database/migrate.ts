/** Brings the tables up to date: applies, in order, the migrations of a static list that the database does not have yet. */
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { StartError } from '../errors.ts';
import type { Database, Dialect, Executor, Migration, Transaction } from './database.ts';
import { accountChangeTriggers } from './migrations/account-change-triggers.ts';
import { accountChanges } from './migrations/account-changes.ts';
import { adminLists } from './migrations/admin-lists.ts';
import { apiKeyResponses } from './migrations/api-key-responses.ts';
import { audit } from './migrations/audit.ts';
import { backups } from './migrations/backups.ts';
import { billing } from './migrations/billing.ts';
import { deviceAllowance } from './migrations/device-allowance.ts';
import { eventsOut } from './migrations/events-out.ts';
import { initialTables } from './migrations/initial-tables.ts';
import { knownInstallers } from './migrations/known-installers.ts';
import { knownNetworks } from './migrations/known-networks.ts';
import { leasePlaces } from './migrations/lease-places.ts';
import { leases } from './migrations/leases.ts';
import { mailAllowances } from './migrations/mail-allowances.ts';
import { mailTokens } from './migrations/mail-tokens.ts';
import { refreshTokenIndexes } from './migrations/refresh-token-indexes.ts';
import { reports } from './migrations/reports.ts';
import { seedPlans } from './migrations/seed-plans.ts';
import { staff } from './migrations/staff.ts';
import { staffCredentials } from './migrations/staff-credentials.ts';
import { subscriptionEmails } from './migrations/subscription-emails.ts';
import { subscriptionSources } from './migrations/subscription-sources.ts';
import { lockByName } from './row-locks.ts';

type MigratedDatabase = Pick<Database, 'write'> & { readonly dialect: Dialect };

const migrations: readonly Migration[] = [
  initialTables,
  seedPlans,
  refreshTokenIndexes,
  apiKeyResponses,
  deviceAllowance,
  knownNetworks,
  accountChanges,
  audit,
  staff,
  mailTokens,
  leases,
  billing,
  eventsOut,
  backups,
  reports,
  adminLists,
  subscriptionSources,
  leasePlaces,
  staffCredentials,
  knownInstallers,
  mailAllowances,
  accountChangeTriggers,
  subscriptionEmails,
];

/** The migrations that a database of this version has, in order. */
export const migrationNames: readonly string[] = migrations.map(({ name }) => name);

/**
 * Applies the missing migrations, all in one transaction.
 * Throws `StartError` when the database has a migration of a newer version.
 */
export async function migrate(database: MigratedDatabase, clock: Clock): Promise<void> {
  const { dialect } = database;
  await database.write(async (transaction) => {
    await lockByName(transaction, 'migrations');
    await createList(transaction, dialect);
    for (const migration of await findMissing(transaction))
      await applyOne(transaction, migration, { dialect, nowMs: clock.now() });
  });
}

/**
 * The migrations that a database with a list of migrations does not have yet, in order.
 * Throws `StartError` when it has one of a newer version.
 */
export async function findMissing(executor: Executor): Promise<Migration[]> {
  const rows = await executor.selectFrom('migrations').select('name').execute();
  const applied = rows.map(({ name }) => name);
  const unknown = applied.find((name) => !migrationNames.includes(name));
  if (unknown) {
    throw new StartError(`the database is of a newer version (it has "${unknown}"): start that version instead.`);
  }
  return migrations.filter(({ name }) => !applied.includes(name));
}

/** Creates the tables of an empty database at an older or the present version: the one that has the migrations `names`. */
export async function migrateTo(
  names: readonly string[],
  transaction: Transaction,
  { dialect, nowMs }: { dialect: Dialect; nowMs: number },
): Promise<void> {
  await createList(transaction, dialect);
  const chosen = migrations.filter(({ name }) => names.includes(name));
  for (const migration of chosen) await applyOne(transaction, migration, { dialect, nowMs });
}

async function applyOne(
  transaction: Transaction,
  { name, apply }: Migration,
  { dialect, nowMs }: { dialect: Dialect; nowMs: number },
): Promise<void> {
  await apply(transaction, dialect, nowMs);
  await transaction.insertInto('migrations').values({ name, applied_at_ms: nowMs }).execute();
}

async function createList(transaction: Transaction, dialect: Dialect): Promise<void> {
  const strict = sql.raw(dialect === 'sqlite' ? 'strict' : '');
  const integer = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
  await sql`create table if not exists migrations (name text primary key, applied_at_ms ${integer} not null) ${strict}`.execute(
    transaction,
  );
}
