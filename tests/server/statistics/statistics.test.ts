/** The figures of the overview: current for small tables, counted in the background for large ones, and daily. */
import { describe, expect, it } from 'vitest';
import { accountTarget, byCommand } from '../../../server/audit/audit-event.ts';
import type { Executor } from '../../../server/database/database.ts';
import { countAttention } from '../../../server/statistics/statistics.repository.ts';
import { maxAttention } from '../../../server/statistics/statistics.service.ts';
import { day, hour, minute } from '../../harness/fake-clock.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { newStaff, StaffBrowser } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { activate, isoFromNow, issueLicense, newEmail, signUp, subscriber } from '../../harness/users.ts';

const dateOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);

type Day = { date: string; devices_alive: number | null; activations: number; sign_ins: number; refusals: number };

async function overviewOf({ browser }: { browser: StaffBrowser }) {
  return (await browser.expectOk('overview')) as {
    counts: object;
    days: Day[];
    attention: { kind: string; params: object }[];
    counted_at: string | null;
    last_proven_restore: string | null;
  };
}

const countIn = ({ services }: TestApp) => services.statistics.count(async () => true);

describe('the overview', () => {
  it('counts what exists now', async () => {
    const server = await startTestApp();
    const staff = await newStaff(server, 'viewer');
    const user = await subscriber(server);
    await server.call('apiKey', { token: user.token, body: {} });
    const { key } = await issueLicense(server, '--email', user.email);
    await issueLicense(server, '--expires-at', isoFromNow(server, -day));
    await activate(server, user, key);
    await activate(server, user, key);
    expect((await overviewOf(staff)).counts).toStrictEqual({
      accounts: 2,
      subscriptions: 1,
      licenses: 1,
      devices: 2,
      devices_alive: 2,
      api_keys: 1,
    });
    server.clock.advance(31 * day);
    const later = await newStaff(server, 'viewer');
    expect((await overviewOf(later)).counts).toMatchObject({ subscriptions: 0, devices: 2, devices_alive: 0 });
  });

  it('has 30 days in UTC, ending with today', async () => {
    const server = await startTestApp();
    const { days } = await overviewOf(await newStaff(server, 'viewer'));
    const dates = Array.from({ length: 30 }, (_, index) => dateOf(server.now() - (29 - index) * day));
    expect(days.map(({ date }) => date)).toStrictEqual(dates);
  });

  it('counts sign-ins, refusals and activations per day, immediately and after they were aggregated', async () => {
    const server = await startTestApp();
    const act = async () => {
      const staff = await newStaff(server, 'viewer');
      const user = await signUp(server);
      const { key } = await issueLicense(server, '--email', user.email);
      await activate(server, user, key);
      await server.call('login', { body: { email: user.email, password: user.password } });
      for (let refusal = 0; refusal < 3; refusal++) {
        await server.call('login', { body: { email: user.email, password: 'not the password' } });
      }
      await new StaffBrowser(server).signIn(newEmail());
      return staff;
    };
    const numbers = { devices_alive: 1, activations: 1, sign_ins: 2, refusals: 4 };
    const lastDays = async (count: number) => {
      const days = (await overviewOf(await newStaff(server, 'viewer'))).days.slice(-count);
      return days.map(({ date: _, ...rest }) => rest);
    };
    const first = await act();
    // Each request signs in, which adds a sign-in of the test itself.
    await expect.poll(async () => (await overviewOf(first)).days.at(-1)).toMatchObject(numbers);
    await countIn(server);
    server.clock.advance(hour);
    await countIn(server);
    expect((await lastDays(1))[0]).toMatchObject({ ...numbers, sign_ins: 3 });
    server.clock.advance(day);
    await countIn(server);
    await countIn(server);
    const next = await newStaff(server, 'viewer');
    const [yesterday, today] = (await overviewOf(next)).days.slice(-2);
    expect(yesterday).toMatchObject({ ...numbers, sign_ins: 3 });
    expect(today).toMatchObject({ devices_alive: 0, activations: 0, sign_ins: 1, refusals: 0 });
  });

  it('counts nothing twice if the clock is set back between two parts of a count', async () => {
    const server = await startTestApp();
    const { statistics, auditLog } = server.services;
    const event = { ...byCommand, action: 'account.sign_in', target: accountTarget('1'), details: {} } as const;
    await server.database.write(async (transaction) => {
      for (let count = 0; count < 1500; count++) await auditLog.record(transaction, event);
    });
    server.clock.advance(2 * minute);
    const now = server.now();
    // The last of these parts is the first one of today.
    let parts = 0;
    expect(await statistics.countEvents(async () => ++parts < 30)).toBe(false);
    server.clock.setNow(now - 5 * minute);
    await statistics.countEvents(async () => true);
    server.clock.setNow(now);
    await statistics.countEvents(async () => true);
    const { days } = await overviewOf(await newStaff(server, 'viewer'));
    // The staff's own sign-in is one more.
    expect(days.at(-1)).toMatchObject({ sign_ins: 1501 });
  });

  it('is counted by one process at a time, every few minutes', async () => {
    const server = await startTestApp();
    await countIn(server);
    await signUp(server);
    await countIn(server);
    expect(await server.services.statistics.estimate('accounts')).toBe(0);
    server.clock.advance(5 * minute);
    await countIn(server);
    expect(await server.services.statistics.estimate('accounts')).toBe(1);
  });

  it('shows large tables as of their last count', async () => {
    const server = await startTestApp();
    const staff = await newStaff(server, 'viewer');
    await addAccounts(server, 2500);
    expect(await overviewOf(staff)).toMatchObject({ counted_at: null });
    await countIn(server);
    const countedAt = new Date(server.now()).toISOString();
    await addAccounts(server, 10);
    server.clock.advance(minute);
    expect(await overviewOf(staff)).toMatchObject({ counted_at: countedAt, counts: { accounts: 2501 } });
    const { total } = await staff.browser.expectOk('accounts');
    expect(total).toStrictEqual({ count: 2501, is_exact: false });
  });
});

async function addAccounts(server: TestApp, count: number): Promise<void> {
  await server.database.write(async (transaction) => {
    for (let index = 0; index < count; index++) {
      const account = server.services.accounts.prepareWithoutPassword({ email: newEmail(), full_name: '' });
      await server.services.accounts.insert(transaction, account, byCommand);
    }
  });
}

describe('what needs attention', () => {
  it('is nothing if all is well except what every new server lacks', async () => {
    const server = await startTestApp();
    const { attention, last_proven_restore } = await overviewOf(await newStaff(server, 'owner'));
    expect(last_proven_restore).toBeNull();
    expect(attention).toStrictEqual([
      { kind: 'backup_not_proven', params: {} },
      { kind: 'single_owner', params: {} },
      { kind: 'staff_without_passkey', params: { count: 1 } },
      { kind: 'no_installer', params: {} },
    ]);
  });

  it('includes past-due subscriptions, and what ends soon', async () => {
    const server = await startTestApp({ LATCHKEY_HOST: '0.0.0.0', LATCHKEY_ALLOW_HTTP: '1' });
    const user = await subscriber(server, 'standard', '--status', 'past_due');
    await issueLicense(server, '--expires-at', isoFromNow(server, 13 * day));
    await issueLicense(server, '--expires-at', isoFromNow(server, 15 * day));
    const until = isoFromNow(server, day);
    await server.admin('api-key', 'import-legacy', user.email, '--sha256', 'a'.repeat(64), '--expires-at', until);
    const { attention } = await overviewOf(await newStaff(server, 'viewer'));
    expect(attention).toStrictEqual(
      expect.arrayContaining([
        { kind: 'plain_http', params: {} },
        { kind: 'subscriptions_past_due', params: { count: 1 } },
        { kind: 'licenses_ending', params: { count: 1, days: 14 } },
        { kind: 'legacy_keys_ending', params: { count: 1, days: 14 } },
      ]),
    );
  });

  it('says that a count which reached the limit is a lower bound', async () => {
    const server = await startTestApp();
    await issueLicense(server, '--expires-at', isoFromNow(server, day));
    await server.database.write(async (transaction) => {
      const license = await transaction.selectFrom('licenses').selectAll().executeTakeFirstOrThrow();
      for (let index = 0; index < maxAttention; index++) {
        const row = { ...license, id: `${index}`, key_hash: `${index}` };
        await transaction.insertInto('licenses').values(row).execute();
      }
    });
    const { attention } = await overviewOf(await newStaff(server, 'viewer'));
    const params = { count: maxAttention, days: 14, at_least: 1 };
    expect(attention).toContainEqual({ kind: 'licenses_ending', params });
  });

  it('finds the licenses that end soon without reading the others', async () => {
    const range = { nowMs: 0, untilMs: 1, sinceMs: 0, limit: 1 };
    const count = (executor: Executor) => countAttention(executor, range).catch(() => undefined);
    const plan = await readQueryPlan(await startTestApp(), count);
    expect(plan).toContain('SEARCH licenses USING INDEX licenses_with_end (expires_at_ms>? AND expires_at_ms<?)');
  });

  it('includes a backup that was verified too long ago', async () => {
    const server = await startTestApp();
    await server.database.write((transaction) =>
      transaction
        .insertInto('backups')
        .values({
          id: 1,
          started_at_ms: server.now(),
          file: '/backup.tar',
          bytes: 1,
          sha256: 'ab',
          encryption: null,
          row_count: 1,
          proven_at_ms: server.now(),
          problem: null,
        })
        .execute(),
    );
    const provenAt = new Date(server.now()).toISOString();
    const { attention, last_proven_restore } = await overviewOf(await newStaff(server, 'viewer'));
    expect(last_proven_restore).toBe(provenAt);
    expect(attention.map(({ kind }) => kind)).not.toContain('backup_not_proven');
    server.clock.advance(7 * day);
    const later = await overviewOf(await newStaff(server, 'viewer'));
    expect(later.attention).toContainEqual({ kind: 'backup_not_proven', params: { days: 7 } });
  });
});
