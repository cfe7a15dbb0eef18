/** What a heartbeat learns about earlier activity, and how far back it looks. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../server/database/database.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { findRecentActivity, recordDeviceActivity } from '../../../server/heartbeats/device-activity.repository.ts';
import type { RecentActivity } from '../../../server/heartbeats/heartbeat.rules.ts';
import { createFakeClock, day, hour, minute } from '../../harness/fake-clock.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const nowMs = 100 * day;
const clock = createFakeClock();
const mine = { device_id: 'here', user_id: 'me', network: 'home', instance: 'first' };
const noOthers = { hasOtherUser: false, otherDevices: 0, otherNetworks: 0, otherInstances: 0, returningInstances: 0 };
const nothing: RecentActivity = { ...noOthers, recordedAtMs: undefined };

async function addUsers(database: Database, ids: readonly string[]): Promise<void> {
  const user = { full_name: '', password_hash: '', created_at_ms: 0, password_changed_at_ms: 0 } as const;
  const users = ids.map((id) => ({ ...user, id, email: id, email_key: id }));
  await database.write((transaction) => transaction.insertInto('users').values(users).execute());
}

function describeActivity(open: () => Promise<Database>): void {
  const openWithUsers = async () => {
    const database = await open();
    onTestFinished(() => database.close());
    await addUsers(database, ['me', 'other']);
    const record = (change: Partial<typeof mine>, agoMs: number) =>
      database.write((transaction) => recordDeviceActivity(transaction, [{ ...mine, ...change }], nowMs - agoMs));
    return { database, record };
  };

  it.each<{ of: string; change: Partial<typeof mine>; windowMs: number; expected: Partial<RecentActivity> }>([
    {
      of: 'another account on the device',
      change: { user_id: 'other' },
      windowMs: day,
      expected: { hasOtherUser: true },
    },
    { of: 'another device', change: { device_id: 'there' }, windowMs: 15 * minute, expected: { otherDevices: 1 } },
    { of: 'another network', change: { network: 'office' }, windowMs: hour, expected: { otherNetworks: 1 } },
    {
      of: 'another account on another device',
      change: { user_id: 'other', device_id: 'there' },
      windowMs: 0,
      expected: {},
    },
  ])('activity of $of counts until its window has passed', async ({ change, windowMs, expected }) => {
    const { database, record } = await openWithUsers();
    await record(change, windowMs + 1);
    expect(await findRecentActivity(database.read, [mine], nowMs)).toEqual([nothing]);
    await record(change, windowMs);
    expect(await findRecentActivity(database.read, [mine], nowMs)).toEqual([{ ...nothing, ...expected }]);
  });

  it('each device gets its own result, in order, and each other device or network counts once', async () => {
    const { database, record } = await openWithUsers();
    await record({}, 2 * hour);
    await record({ network: 'office' }, 0);
    await record({ device_id: 'there' }, 0);
    await record({ device_id: 'there', network: 'office' }, 0);
    const others = { user_id: 'other', device_id: 'elsewhere' };
    const there = { device_id: 'there' };
    const devices = [others, {}, there, {}].map((change) => ({ ...mine, ...change }));
    const here = { ...noOthers, recordedAtMs: nowMs - 2 * hour, otherDevices: 1, otherNetworks: 1 };
    expect(await findRecentActivity(database.read, devices, nowMs)).toEqual([
      nothing,
      here,
      { ...noOthers, recordedAtMs: nowMs, otherDevices: 1, otherNetworks: 1 },
      here,
    ]);
  });

  it('an instance that returns after another one is counted as often, separately for each network', async () => {
    const { database, record } = await openWithUsers();
    const [second, away] = [{ instance: 'second' }, { instance: 'second', network: 'office' }];
    for (let turn = 10; turn > 0; turn--) {
      await record({}, 3 * turn * minute + minute);
      await record(turn > 7 ? away : second, 3 * turn * minute);
    }
    await record({ user_id: 'other', instance: 'third' }, 0);
    await record({ device_id: 'there', instance: 'fourth' }, 0);
    await record({ instance: '' }, 0);
    const found = await findRecentActivity(
      database.read,
      [mine, { ...mine, ...second }, { ...mine, instance: '' }],
      nowMs,
    );
    expect(found).toMatchObject([
      { otherInstances: 1, returningInstances: 2 },
      { otherInstances: 1, returningInstances: 2 },
      { otherInstances: 2, returningInstances: 2 },
    ]);
    const rows = await database.read.selectFrom('device_activity').select(['instance', 'network', 'returns']).execute();
    const returnsOf = (instance: string, network = 'home') =>
      rows.filter((row) => row.instance === instance && row.network === network).map((row) => Number(row.returns));
    expect(returnsOf('first')).toContain(9);
    expect(returnsOf('second')).toEqual([6]);
    expect(returnsOf('second', 'office')).toEqual([2]);
    expect(returnsOf('')).toEqual([0]);
    expect(await findRecentActivity(database.read, [mine], nowMs + 2 * hour)).toMatchObject([
      { returningInstances: 0 },
    ]);
  });
}

describe('on SQLite', () => {
  describeActivity(() => openSqlite(join(temporaryFolder(), 'latchkey.db'), clock));
});

const programs = findPostgres();

describe.skipIf(programs === undefined)('on PostgreSQL', () => {
  const postgres = sharedPostgres();

  describeActivity(async () => openPostgres(await postgres.createDatabase(), clock));
});
