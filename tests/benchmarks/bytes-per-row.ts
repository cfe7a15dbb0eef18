/**
 * `npm run bytes`: the size in bytes of an account and each kind of row in SQLite and PostgreSQL, including indexes.
 */
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tableOrder } from '../../server/database/tables.ts';
import { findPostgres, query, startPostgres } from '../harness/postgres.ts';
import { signInEntry } from './seed/audit-entries.ts';
import { type InsertRows, insertIntoPostgres, insertIntoSqlite } from './seed/insert-rows.ts';
import { seedDatabase } from './seed/seed-database.ts';
import { deviceIdOf, memberRows, type SeedInput, type SeedRows, userIdOf } from './seed/seeded-accounts.ts';

const accounts = Number(process.argv[2] ?? 100_000);

/** Size of each table with its indexes, in bytes. */
type Sizes = ReadonlyMap<string, number>;

/**
 * Returns the rows of an account: an API key, a license active on one device, a session with a used refresh token, the
 * activity of the device and its network, and the audit log entry of a sign-in.
 */
function rowsOf(number: number, input: SeedInput): SeedRows {
  const rows = memberRows(number, input);
  const { refresh_tokens: token } = rows;
  const digest = (what: string) => hash('sha256', `${what} ${number}`);
  const network = `10.${(number >> 8) & 255}.${number & 255}.0/24`;
  return {
    ...rows,
    // As long as the encrypted value that is stored there.
    ...(token && {
      refresh_tokens: {
        ...token,
        used_at_ms: input.nowMs,
        successor_hash: digest('child'),
        idempotency_key_hash: digest('key'),
        encrypted_successor: `${digest('sealed')}${digest('child')}`.slice(0, 99),
      },
    }),
    audit_events: {
      ...signInEntry(number, input.nowMs),
      address: `10.${(number >> 8) & 255}.${number & 255}.1`,
      seal_id: Math.floor(number / 500),
    },
    known_networks: {
      user_id: userIdOf(number),
      network_hash: hash('sha256', network, 'base64url'),
      last_used_at_ms: input.nowMs,
    },
    device_activity: {
      device_id: deviceIdOf(number),
      user_id: userIdOf(number),
      network,
      instance: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      first_seen_at_ms: input.nowMs,
      last_seen_at_ms: input.nowMs,
      heartbeats: 1,
      returns: 0,
    },
  };
}

const fill = (settings: Readonly<Record<string, string>>, insert: InsertRows) =>
  seedDatabase(settings, { accounts, accessTokens: 0, rowsOf }, insert);

async function measureSqlite(folder: string): Promise<Sizes> {
  await fill({ LATCHKEY_DATA: folder }, insertIntoSqlite(folder));
  const file = new DatabaseSync(join(folder, 'latchkey.db'));
  const rows = file
    .prepare(
      'select m.tbl_name as name, sum(s.pgsize) as size from dbstat s join sqlite_schema m on m.name = s.name group by 1',
    )
    .all();
  file.close();
  return sizesOf(rows);
}

async function measurePostgres(folder: string): Promise<Sizes | undefined> {
  const programs = findPostgres();
  if (programs === undefined) return undefined;
  const postgres = await startPostgres(programs);
  try {
    const url = await postgres.createDatabase();
    await fill({ LATCHKEY_DATA: folder, DATABASE_URL: url }, insertIntoPostgres(url));
    const sizes =
      'select relname as name, pg_total_relation_size(oid)::int8 as size from pg_class where relkind = $$r$$';
    return sizesOf(await query(url, sizes));
  } finally {
    await postgres.stop();
  }
}

function sizesOf(rows: readonly Record<string, unknown>[]): Sizes {
  return new Map(rows.map(({ name, size }) => [String(name), Number(size)]));
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bytes-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sqlite = await withFolder(measureSqlite);
const postgres = await withFolder(measurePostgres);
const perRow = (sizes: Sizes | undefined, table: string) => Math.round((sizes?.get(table) ?? 0) / accounts);
const tables = tableOrder.filter((table) => perRow(sqlite, table) > 0);
const lines = tables.map((table) => [table, perRow(sqlite, table), perRow(postgres, table)] as const);
const sum = (column: 1 | 2) => lines.reduce((total, line) => total + line[column], 0);
console.log(
  `bytes for each of ${accounts.toLocaleString('en')} accounts${postgres ? '' : ' (PostgreSQL is not installed)'}\n`,
);
for (const [table, first, second] of [['', 'SQLite', 'PostgreSQL'], ...lines, ['sum', sum(1), sum(2)]]) {
  console.log(String(table).padEnd(20) + String(first).padStart(10) + String(second).padStart(12));
}
