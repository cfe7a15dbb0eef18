/** How what is held of accounts is kept true: every write declares the accounts that it changes, and others hear of it. */

import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { type AccountChange, accountChanged, plansChanged } from '../../../server/database/account-changes.ts';
import type { Database } from '../../../server/database/database.ts';
import { PostgresChangeChannel } from '../../../server/database/postgres-change-channel.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { RetentionJob } from '../../../server/retention/retention-job.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { findPostgres, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';
import { activate, anotherSession, goodPassword, issueLicense, signUp, subscriber } from '../../harness/users.ts';

/** For each table the events that change what is held of an account, and the account. */
const ofUser = ['new.user_id', 'old.user_id'] as const;
const ofLicense = ['(select user_id from licenses where id = new.license_id)', "'unknown'"] as const;
const triggers = [
  ['users', 'insert', 'new.id'],
  ['users', 'update', 'new.id'],
  ['users', 'delete', 'old.id'],
  ['refresh_families', 'update of user_id, revoked_at_ms', ofUser[0]],
  ['refresh_families', 'delete', ofUser[1]],
  ...(['subscriptions', 'licenses', 'api_keys'] as const).flatMap((table) => [
    [table, 'insert', ofUser[0]] as const,
    [table, 'update', ofUser[0]] as const,
    [table, 'update of user_id', ofUser[1]] as const,
  ]),
  ['activations', 'insert', ofLicense[0]],
  ['activations', 'update of license_id, device_id, released_at_ms', ofLicense[0]],
  ['plans', 'insert', "'every account'"],
  ['plans', 'update', "'every account'"],
] as const;

/** Notes, beside the app, every change of a row whose account has to be declared. */
function noteChanges({ dataFolder }: TestApp): { take(): { changed: string[]; declared: (string | null)[] } } {
  const file = new DatabaseSync(`${dataFolder}/latchkey.db`, { timeout: 5000 });
  onTestFinished(() => file.close());
  file.exec('create table noted (user_id text not null)');
  for (const [index, [table, event, userId]] of triggers.entries()) {
    file.exec(`create trigger noted_${index} after ${event} on ${table} when ${userId} is not null
      begin insert into noted values (${userId}); end`);
  }
  return {
    take: () => {
      const changed = file.prepare('select distinct user_id from noted').all();
      const declared = file.prepare('select distinct user_id from account_changes').all();
      file.exec('delete from noted; delete from account_changes');
      return {
        changed: changed.map(({ user_id }) => String(user_id)),
        declared: declared.map(({ user_id }) => user_id as string | null),
      };
    },
  };
}

it('every write declares the accounts that it changes', async () => {
  const app = await startTestApp({ LATCHKEY_TRIAL_PLAN: 'standard', LATCHKEY_REFRESH_TOKEN_TTL: '1h' });
  const notes = noteChanges(app);
  const user = await signUp(app);
  const { token, email } = user;
  const owned = await issueLicense(app, '--email', email);
  const unowned = await issueLicense(app);
  const { activationId, deviceId } = await activate(app, user, owned.key);
  const ownedByOther = await issueLicense(app, '--email', (await subscriber(app)).email);
  notes.take();
  const writes: Readonly<Record<string, () => Promise<unknown>>> = {
    'sign-up with a trial': () => signUp(app),
    'the subscription': () => app.admin('subscription', 'set', email, '--plan', 'advanced'),
    'a license that is issued': () => issueLicense(app, '--email', email),
    'the status of a license': () => app.admin('license', 'set', ownedByOther.id, '--status', 'inactive'),
    'a license that is claimed': () => activate(app, user, unowned.key),
    'an activation': () => activate(app, user, owned.key),
    'a release': () => app.call('releaseActivation', { token, at: activationId }),
    'the return of the device': () => activate(app, user, owned.key, deviceId),
    'a release by an admin': () => app.admin('license', 'release', owned.id, deviceId),
    'a first API key': () => app.call('apiKey', { token }),
    'another API key': () => app.call('apiKey', { token, body: { regenerate: true } }),
    'a legacy API key': () =>
      app.admin('api-key', 'import-legacy', email, '--key', 'legacy-key-1', '--expires-at', '2040-01-01'),
    'a revoked API key': () => app.admin('api-key', 'revoke', email),
    'a sign-out': async () => app.call('logout', { body: { refresh_token: await anotherSession(app, user) } }),
    'a refresh token that is used twice': async () => {
      const refresh_token = await anotherSession(app, user);
      for (let times = 0; times < 2; times++) await app.call('refresh', { body: { refresh_token } });
    },
    'a plan': () => app.admin('plan', 'set', 'standard', '--max-devices', '4'),
    'a password': () => app.services.passwords.set(email, `${goodPassword} 2`, byCommand),
    'retention of sessions': async () => {
      await signUp(app);
      notes.take();
      app.clock.advance(400 * 24 * 60 * 60_000);
      const { database, clock, services } = app;
      const job = new RetentionJob({ database, clock, ...services, historyMs: 1, logger: { info() {}, warn() {} } });
      for (let hours = 0; hours < 10_000 && !('refresh_families' in (await job.run())); hours++) {
        app.clock.advance(60 * 60_000);
      }
    },
    'the end of an account': () => app.admin('user', 'delete', email),
  };
  for (const [name, write] of Object.entries(writes)) {
    await write();
    const { changed, declared } = notes.take();
    expect(changed.length, `${name} changes nothing`).toBeGreaterThan(0);
    if (!declared.includes(null)) expect(declared, name).toEqual(expect.arrayContaining(changed));
  }
}, 60_000);

describe('another process on the SQLite file', () => {
  async function openTwo() {
    const path = `${temporaryFolder()}/latchkey.db`;
    const open = async () => {
      const database = await openSqlite(path, createFakeClock());
      onTestFinished(() => database.close());
      return database;
    };
    const [writer, reader] = [await open(), await open()];
    expect(reader.accountChanges.isCurrent()).toBe(true);
    const heard: AccountChange[] = [];
    reader.accountChanges.onChange((change) => heard.push(change));
    const hear = () => {
      heard.length = 0;
      // It looks every few milliseconds only.
      return expect.poll(() => reader.accountChanges.isCurrent() && [...heard], { timeout: 5000 });
    };
    return { writer, hear };
  }

  const change = (database: Database, ...users: string[]) =>
    database.write(async (transaction) => {
      for (const user of users) accountChanged(transaction, user);
    });

  it('hears which accounts were changed', async () => {
    const { writer, hear } = await openTwo();
    await change(writer, 'a', 'b');
    await change(writer, 'c');
    await hear().toEqual([['a', 'b', 'c']]);
    await change(writer, 'd');
    await hear().toEqual([['d']]);
  });

  it('hears of plans, and of more accounts than are named, as a change of everything', async () => {
    const { writer, hear } = await openTwo();
    await writer.write(async (transaction) => plansChanged(transaction));
    await hear().toEqual(['everything']);
    await change(writer, ...Array.from({ length: 150 }, (_, index) => `user ${index}`));
    await hear().toEqual(['everything']);
  });

  it('drops everything after it has missed more changes than are stored', async () => {
    const { writer, hear } = await openTwo();
    for (let times = 0; times < 1100; times++) await change(writer, 'a');
    await hear().toEqual(['everything']);
    await change(writer, 'b');
    await hear().toEqual([['b']]);
  });

  it('hears nothing of a write that was undone', async () => {
    const { writer, hear } = await openTwo();
    const undone = writer.write(async (transaction) => {
      accountChanged(transaction, 'a');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await change(writer, 'b');
    await hear().toEqual([expect.arrayContaining(['b'])]);
  });
});

const programs = findPostgres();

describe.skipIf(programs === undefined)('another process on PostgreSQL', { timeout: 60_000 }, () => {
  const postgres = sharedPostgres();

  async function openOn(url: string): Promise<Database> {
    const database = await openPostgres(url, createFakeClock());
    onTestFinished(() => database.close());
    return database;
  }

  /** `through` is the way of the one that listens to the database. */
  async function openTwo(through: (url: string) => string = (url) => url) {
    const url = await postgres.createDatabase();
    const [writer, reader] = [await openOn(url), await openOn(through(url))];
    const heard: AccountChange[] = [];
    reader.accountChanges.onChange((change) => heard.push(change));
    const isCurrent = () => expect.poll(() => reader.accountChanges.isCurrent(), { timeout: 10_000 });
    expect(reader.accountChanges.isCurrent()).toBe(false);
    await isCurrent().toBe(true);
    heard.length = 0;
    return { url, writer, heard, isCurrent };
  }

  const change = (database: Database, ...users: string[]) =>
    database.write(async (transaction) => {
      for (const user of users) accountChanged(transaction, user);
    });

  it('hears which accounts were changed, and nothing of a write that was undone', async () => {
    const { writer, heard } = await openTwo();
    const undone = writer.write(async (transaction) => {
      accountChanged(transaction, 'undone');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await change(writer, 'a', 'b');
    await expect.poll(() => heard).toEqual([['a', 'b']]);
    await change(writer, ...Array.from({ length: 250 }, (_, index) => `user ${index}`));
    await expect.poll(() => heard).toEqual([['a', 'b'], 'everything']);
  });

  it('drops everything where the connection that listens was lost, and listens again', async () => {
    const { url, writer, heard, isCurrent } = await openTwo();
    await query(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
    );
    await expect.poll(() => heard).toContain('everything');
    await isCurrent().toBe(true);
    heard.length = 0;
    await change(writer, 'a');
    await expect.poll(() => heard).toEqual([['a']]);
  });

  it('holds nothing while nothing is heard, although no connection breaks', async () => {
    const proxy = await TcpProxy.start(Number(new URL(await postgres.createDatabase()).port));
    const { isCurrent } = await openTwo((url) => proxy.through(url));
    proxy.block();
    await isCurrent().toBe(false);
  });

  it('listens on another connection where one goes silent before it has listened', async () => {
    const url = await postgres.createDatabase();
    const database = await openOn(url);
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    // PostgreSQL accepts a connection with one packet.
    proxy.silenceAfter(1);
    const channel = new PostgresChangeChannel({
      url: proxy.through(url),
      executor: database.read,
      apply: () => undefined,
    });
    onTestFinished(() => channel.close());
    await expect.poll(() => channel.isCurrent(), { timeout: 30_000 }).toBe(true);
  });
});
