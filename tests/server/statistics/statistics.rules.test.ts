/** What the overview counts, on rows just inside and just outside each limit, and how days are named. */
import { DatabaseSync } from 'node:sqlite';
import { type Expression, Kysely, type SqlBool, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { NodeSqliteDialect } from '../../../server/database/sqlite-driver.ts';
import {
  countedActions,
  countedTables,
  nameDay,
  readEntryCount,
  startOfDay,
} from '../../../server/statistics/statistics.rules.ts';
import { day, hour } from '../../harness/fake-clock.ts';

const midnightMs = Date.UTC(2026, 10, 22);
const nowMs = midnightMs + 6 * hour;
const sqlite = new DatabaseSync(':memory:');
const kysely = new Kysely<unknown>({ dialect: new NodeSqliteDialect(sqlite) });

type Row = Readonly<Record<string, string | number | null>>;

/** Returns the names of the counts of the table that include a row with these columns. */
function countedAs(table: string, row: Row): string[] {
  const counts = countedTables(nowMs).find((one) => one.table === table)?.counts ?? {};
  const columns = Object.entries(row).map(([name, value]) => sql`${value} as ${sql.ref(name)}`);
  const isCounted = (condition: Expression<SqlBool>): boolean => {
    const rows = sql`select 1 from (select ${sql.join(columns)}) as ${sql.ref(table)} where ${condition}`;
    const { sql: text, parameters } = rows.compile(kysely);
    return sqlite.prepare(text).get(...(parameters as number[])) !== undefined;
  };
  return Object.entries(counts).flatMap(([name, condition]) => (isCounted(condition) ? name : []));
}

describe('the counts of the overview', () => {
  it.each([
    { table: 'users', names: ['accounts'] },
    { table: 'subscriptions', names: ['subscriptions'] },
    { table: 'licenses', names: ['licenses', 'active_licenses'] },
    { table: 'activations', names: ['devices', 'devices_alive', 'devices_today'] },
    { table: 'api_keys', names: ['api_keys', 'current_api_keys'] },
  ])('of $table are $names', ({ table, names }) => {
    const tables = countedTables(nowMs);
    expect(tables).toHaveLength(5);
    const found = tables.filter((one) => one.table === table);
    expect(found.map(({ counts }) => Object.keys(counts))).toEqual([names]);
  });

  it('include every account', () => {
    expect(countedAs('users', { id: 'ada' })).toEqual(['accounts']);
  });

  const subscription = { is_replaced: 0, status: 'active', current_period_end_ms: nowMs + 1 };
  it.each([
    { what: 'active in its period', change: {}, counted: true },
    { what: 'in trial', change: { status: 'trialing' }, counted: true },
    { what: 'past due', change: { status: 'past_due' }, counted: true },
    { what: 'canceled', change: { status: 'canceled' }, counted: false },
    { what: 'expired', change: { status: 'expired' }, counted: false },
    { what: 'active and just over', change: { current_period_end_ms: nowMs }, counted: false },
    { what: 'replaced by another', change: { is_replaced: 1 }, counted: false },
  ])('include a subscription that is $what: $counted', ({ change, counted }) => {
    expect(countedAs('subscriptions', { ...subscription, ...change })).toEqual(counted ? ['subscriptions'] : []);
  });

  it.each([
    { what: 'active without an end', status: 'active', expires_at_ms: null, isActive: true },
    { what: 'active until later', status: 'active', expires_at_ms: nowMs + 1, isActive: true },
    { what: 'active and just over', status: 'active', expires_at_ms: nowMs, isActive: false },
    { what: 'suspended', status: 'inactive', expires_at_ms: null, isActive: false },
    { what: 'revoked before its end', status: 'revoked', expires_at_ms: nowMs + 1, isActive: false },
  ])('include every license, and one that is $what as active: $isActive', ({ status, expires_at_ms, isActive }) => {
    const expected = isActive ? ['licenses', 'active_licenses'] : ['licenses'];
    expect(countedAs('licenses', { status, expires_at_ms })).toEqual(expected);
  });

  it.each([
    { what: 'seen now', seenMs: nowMs, as: ['devices', 'devices_alive', 'devices_today'] },
    { what: 'seen at midnight', seenMs: midnightMs, as: ['devices', 'devices_alive', 'devices_today'] },
    { what: 'seen before midnight', seenMs: midnightMs - 1, as: ['devices', 'devices_alive'] },
    { what: 'seen nearly a day ago', seenMs: nowMs - day + 1, as: ['devices', 'devices_alive'] },
    { what: 'seen a day ago', seenMs: nowMs - day, as: ['devices'] },
  ])('include an active device that was $what, as $as, but never a released one', ({ seenMs, as }) => {
    expect(countedAs('activations', { released_at_ms: null, last_seen_at_ms: seenMs })).toEqual(as);
    expect(countedAs('activations', { released_at_ms: nowMs, last_seen_at_ms: seenMs })).toEqual([]);
  });

  it('include every API key, and those not revoked as current', () => {
    expect(countedAs('api_keys', { revoked_at_ms: null })).toEqual(['api_keys', 'current_api_keys']);
    expect(countedAs('api_keys', { revoked_at_ms: 1 })).toEqual(['api_keys']);
  });

  it('of the audit log cover successful and refused sign-ins of users and staff, and activations', () => {
    expect(countedActions).toEqual({
      'license.activate': 'activations',
      'account.sign_in': 'sign_ins',
      'staff.sign_in': 'sign_ins',
      'account.sign_in_refused': 'refusals',
      'staff.sign_in_refused': 'refusals',
    });
  });
});

describe('an entry of the audit log', () => {
  it.each([
    { details: '', count: 1 },
    { details: '{}', count: 1 },
    { details: '{"count":1}', count: 1 },
    { details: '{"count":7}', count: 7 },
    { details: '{"count":0}', count: 1 },
    { details: '{"count":-3}', count: 1 },
    { details: '{"count":1.5}', count: 1 },
    { details: '{"count":"7"}', count: 1 },
    { details: '{"count":null}', count: 1 },
  ])('with details "$details" counts as $count', ({ details, count }) => {
    expect(readEntryCount(details)).toBe(count);
  });
});

describe('a day', () => {
  it.each([
    { timeMs: midnightMs - 1, name: '2026-11-21', startMs: midnightMs - day },
    { timeMs: midnightMs, name: '2026-11-22', startMs: midnightMs },
    { timeMs: midnightMs + day - 1, name: '2026-11-22', startMs: midnightMs },
  ])('of $timeMs is $name, and begins at its midnight in UTC', ({ timeMs, name, startMs }) => {
    expect(nameDay(timeMs)).toBe(name);
    expect(startOfDay(timeMs)).toBe(startMs);
  });
});
