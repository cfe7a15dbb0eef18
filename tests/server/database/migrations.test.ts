/** A database of the first release, full of data: opened by the present one, every row is as it was. */
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fillSqliteFile } from '../../../server/backup/sqlite-file.ts';
import type { Database, Dialect, Executor, Transaction } from '../../../server/database/database.ts';
import { migrateTo, migrationNames } from '../../../server/database/migrate.ts';
import { openExecutor, openPostgres } from '../../../server/database/postgres-database.ts';
import { longTimeouts } from '../../../server/database/postgres-dialect.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { tableOrder } from '../../../server/database/tables.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const programs = findPostgres();
const firstRelease = migrationNames.slice(0, 3);
const nowMs = 1_700_000_000_000;
const userCount = 200;

type Row = Record<string, unknown>;

/** One statement for a table, as long as its rows are alike. */
async function insert(transaction: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  await (transaction as unknown as Kysely<Record<string, Row>>).insertInto(table).values(rows).execute();
}

/** Every table of the first release, with nulls where they may be. */
async function fill(transaction: Transaction): Promise<void> {
  const users = Array.from({ length: userCount }, (_, index) => `user-${index}`);
  const each = (row: (user: string, index: number) => Row) => users.map(row);
  const times = { created_at_ms: nowMs, updated_at_ms: nowMs + 1 };
  await insert(transaction, 'meta', [{ name: 'secrets_fingerprint', value: 'f00d' }]);
  await sql`update plans set max_devices = 42 where name = 'standard'`.execute(transaction);
  await insert(
    transaction,
    'users',
    each((id, index) => ({
      id,
      email: `${id}@Example.com`,
      email_key: `${id}@example.com`,
      full_name: 'Åsa 王',
      password_hash: `$argon2id$${index}`,
      is_staff: index % 2,
      created_at_ms: nowMs + index,
      password_changed_at_ms: nowMs - index,
    })),
  );
  await insert(
    transaction,
    'refresh_families',
    each((user_id, index) => ({
      id: `family-${index}`,
      user_id,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + 7,
      revoked_at_ms: index % 3 ? null : nowMs,
    })),
  );
  await insert(
    transaction,
    'refresh_tokens',
    each((_, index) => ({
      token_hash: `token-${index}`,
      family_id: `family-${index}`,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + 7,
      used_at_ms: index % 2 ? nowMs : null,
      child_hash: index % 2 ? `child-${index}` : null,
      retry_key_hash: null,
      sealed_child: null,
    })),
  );
  await insert(transaction, 'signing_keys', [
    { kid: 'k', purpose: 'access_token', algorithm: 'EdDSA', sealed_key: 's', created_at_ms: 1, retired_at_ms: null },
  ]);
  await insert(
    transaction,
    'subscriptions',
    each((user_id, index) => ({
      id: `subscription-${index}`,
      user_id,
      plan: 'standard',
      status: 'active',
      current_period_start_ms: nowMs,
      current_period_end_ms: nowMs + 30,
      cancel_at_period_end: index % 2,
      ...times,
    })),
  );
  await insert(
    transaction,
    'licenses',
    each((user_id, index) => ({
      id: `license-${index}`,
      key_hash: `hash-${index}`,
      key_preview: 'SVC-AB12...WXYZ',
      user_id: index % 5 ? user_id : null,
      plan: 'advanced',
      status: 'revoked',
      max_activations: index,
      expires_at_ms: index % 2 ? nowMs : null,
      with_subscription: index % 2,
      ...times,
    })),
  );
  await insert(
    transaction,
    'activations',
    each((_, index) => ({
      id: `activation-${index}`,
      license_id: `license-${index}`,
      device_id: 'HW-1',
      device_name: 'Näme',
      platform: '',
      activated_at_ms: nowMs,
      last_seen_at_ms: nowMs,
      released_at_ms: index % 2 ? nowMs : null,
    })),
  );
  await insert(
    transaction,
    'api_keys',
    each((user_id, index) => ({
      id: `key-${index}`,
      user_id,
      key_hash: `hash-${index}`,
      key_prefix: 'svc_live_AbCd',
      is_legacy: index % 2,
      legacy_expires_at_ms: index % 2 ? nowMs : null,
      created_at_ms: nowMs,
      revoked_at_ms: index % 3 ? nowMs : null,
    })),
  );
  await insert(
    transaction,
    'device_sightings',
    each((user_id) => ({
      device_id: 'HW-1',
      user_id,
      network: '192.0.2.0/24',
      first_seen_at_ms: nowMs,
      last_seen_at_ms: nowMs,
      heartbeats: 9,
    })),
  );
  await insert(transaction, 'installers', [
    { platform: 'linux_amd64', version: '4.2.0', hash: 'sha256:00', updated_at_ms: nowMs },
  ]);
}

/** The rows of every table, in an order that does not depend on the database. */
async function readAll(executor: Executor, tables: readonly string[]): Promise<Record<string, Row[]>> {
  const all: Record<string, Row[]> = {};
  for (const table of tables) {
    const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(executor);
    all[table] = rows.map((row) => ({ ...row })).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return all;
}

const newTables = [
  'api_key_responses',
  'known_networks',
  'audit_events',
  'audit_seals',
  'billing_events',
  'billing_customers',
  'backups',
  'webhook_endpoints',
  'event_deliveries',
  'staff',
  'staff_links',
  'staff_sessions',
  'passkeys',
  'used_passkey_challenges',
  'totals',
  'daily_counts',
  'mail_tokens',
  'mails',
  'mail_allowances',
];
/** This one begins with the installers that are published. */
const filledTables = ['migrations', 'known_installers'];
const oldTables = tableOrder.filter((name) => !filledTables.includes(name) && !newTables.includes(name));

/** Fills a database of the first release, opens it as it is now, and returns what it held before. */
type OldDatabase = (
  make: (transaction: Transaction, dialect: Dialect) => Promise<void>,
) => Promise<{ open(): Promise<Database> }>;

/** The columns that later migrations add, with what old rows have in them. */
const addedColumns: Readonly<Record<string, Row>> = {
  subscriptions: { source: 'account', event_at_ms: null, is_replaced: 0, by_typed_email: 0 },
  plans: { new_devices_per_month: 10, lease_days: null },
  users: { email_confirmed_at_ms: null, support_set_password_at_ms: null },
  refresh_families: { user_agent: null },
  signing_keys: { longest_life_ms: 0 },
  activations: { lease_expires_at_ms: null },
  api_keys: { reported_at_ms: null },
};

/** The subscription of the account itself has the id of that there. */
function referenceOf(table: string, { user_id }: Row): Row {
  return table === 'subscriptions' ? { reference: user_id } : {};
}

function describeMigrations(openOld: OldDatabase): void {
  it('leaves every row as it was, and adds the columns and tables that are missing', async () => {
    let before: Record<string, Row[]> = {};
    const { open } = await openOld(async (transaction, dialect) => {
      await migrateTo(firstRelease, transaction, { dialect, nowMs });
      await fill(transaction);
      before = await readAll(transaction, oldTables);
    });
    for (const [table, rows] of Object.entries(before)) expect(rows.length, table).toBeGreaterThan(0);

    for (const _ of ['first start', 'second start']) {
      const database = await open();
      const after = await readAll(database.read, oldTables);
      for (const [table, rows] of Object.entries(before)) {
        expect(after[table], table).toHaveLength(rows.length);
        for (const row of rows)
          expect(after[table], table).toContainEqual({ ...row, ...addedColumns[table], ...referenceOf(table, row) });
      }
      const applied = await database.read.selectFrom('migrations').select('name').orderBy('name').execute();
      expect(applied.map(({ name }) => name)).toEqual(migrationNames.toSorted());
      for (const rows of Object.values(await readAll(database.read, newTables))) expect(rows).toEqual([]);
      await database.close();
    }
  });

  it('makes the new tables go with their account', async () => {
    const { open } = await openOld(async (transaction, dialect) => {
      await migrateTo(firstRelease, transaction, { dialect, nowMs });
      await fill(transaction);
    });
    const database = await open();
    const user_id = 'user-1';
    await database.write(async (transaction) => {
      const response = {
        user_id,
        retry_key_hash: 'h',
        regenerate: 1,
        sealed_response: 's',
        expires_at_ms: nowMs,
      } as const;
      await transaction.insertInto('api_key_responses').values(response).execute();
      await transaction
        .insertInto('known_networks')
        .values({ user_id, network_hash: 'n', last_used_at_ms: 1 })
        .execute();
    });
    await database.write((transaction) => transaction.deleteFrom('users').where('id', '=', user_id).execute());
    for (const rows of Object.values(await readAll(database.read, newTables))) expect(rows).toEqual([]);
    expect((await readAll(database.read, ['users'])).users).toHaveLength(userCount - 1);
    await database.close();
  });
}

describe('a SQLite file of the first release', () => {
  describeMigrations(async (make) => {
    const path = join(temporaryFolder(), 'latchkey.db');
    await fillSqliteFile(path, (transaction) => make(transaction, 'sqlite'));
    return { open: () => openSqlite(path, createFakeClock()) };
  });
});

describe.skipIf(programs === undefined)('a PostgreSQL database of the first release', { timeout: 60_000 }, () => {
  const postgres = sharedPostgres();

  describeMigrations(async (make) => {
    const url = await postgres.createDatabase();
    const database = openExecutor(url, 1, longTimeouts);
    onTestFinished(() => database.destroy());
    await database.transaction().execute((transaction) => make(transaction, 'postgres'));
    return { open: () => openPostgres(url, createFakeClock()) };
  });
});
