/**
 * How the account cache is kept up to date: the database notes which accounts a write changes, and every process is
 * notified.
 */
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findCurrentApiKey } from '../../../server/api-keys/api-key.repository.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { systemClock } from '../../../server/clock.ts';
import { type AccountChange, CacheInvalidation } from '../../../server/database/cache-invalidation.ts';
import { type Database, isPostgres, type Transaction } from '../../../server/database/database.ts';
import { PostgresChangeChannel } from '../../../server/database/postgres-change-channel.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { RetentionJob } from '../../../server/retention/retention-job.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { recordChangeOfEverything } from '../../../server/secret-rotation/encrypted-column.repository.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { findPostgres, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';
import { activate, anotherSession, goodPassword, issueLicense, signUp, subscriber } from '../../harness/users.ts';

it('every write that changes the snapshot of an account removes it from the cache', async () => {
  const app = await startTestApp({ LATCHKEY_TRIAL_PLAN: 'standard', LATCHKEY_REFRESH_TOKEN_TTL: '1h' });
  const dropped = new Set<string>();
  app.database.cacheInvalidation.onChange((change) => {
    for (const userId of change === 'everything' ? ['everything'] : change) dropped.add(userId);
  });
  const user = await signUp(app);
  const { token, email } = user;
  const owned = await issueLicense(app, '--email', email);
  const unowned = await issueLicense(app);
  const { activationId, deviceId } = await activate(app, user, owned.key);
  const ownedByOther = await issueLicense(app, '--email', (await subscriber(app)).email);
  const writes: Readonly<Record<string, () => Promise<unknown>>> = {
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
    'the time of a password alone': () =>
      app.database.write(async (transaction) => {
        await transaction.updateTable('users').set({ password_changed_at_ms: 1 }).where('email', '=', email).execute();
      }),
    'a password': () => app.services.passwords.set(email, `${goodPassword} 2`, byCommand),
    'retention of sessions': async () => {
      app.clock.advance(400 * 24 * 60 * 60_000);
      const { database, clock, services } = app;
      const job = new RetentionJob({
        scheduler: systemScheduler,
        database,
        clock,
        ...services,
        historyMs: 1,
        logger: { info() {}, warn() {} },
      });
      for (let hours = 0; hours < 10_000 && !('sessions' in (await job.run())); hours++) {
        app.clock.advance(60 * 60_000);
      }
    },
    'the end of an account': () => app.admin('user', 'delete', email),
  };
  const readAll = async () => {
    const users = await app.database.read.selectFrom('users').select('id').execute();
    const accounts = users.map(async ({ id }) => {
      const account = await app.services.accountSnapshots.readAccount(app.database.read, id);
      const sessions = await readSessions(app, id);
      const key = await findCurrentApiKey(app.database.read, id);
      return [id, JSON.stringify([account, sessions, key])] as const;
    });
    return new Map(await Promise.all(accounts));
  };
  for (const [name, write] of Object.entries(writes)) {
    const before = await readAll();
    dropped.clear();
    await write();
    const after = await readAll();
    const changed = [...before.keys()].filter((id) => before.get(id) !== after.get(id));
    if (dropped.has('everything')) continue;
    expect(changed.length, `${name} changes nothing`).toBeGreaterThan(0);
    expect([...dropped], name).toEqual(expect.arrayContaining(changed));
  }
});

describe('a loaded value', () => {
  /** Returns what is cached after a load during which the change happens. */
  async function loadDuring(change: AccountChange, catchUp: () => boolean): Promise<string[]> {
    const invalidation = new CacheInvalidation(() => ({ catchUp }));
    const cached: string[] = [];
    const load = async () => {
      invalidation.apply(change);
      return 'loaded';
    };
    expect(await invalidation.load(load, (loaded) => cached.push(loaded))).toBe('loaded');
    return cached;
  }

  it('is cached, even if an account changes in the meantime', async () => {
    expect(await loadDuring(['an account'], () => true)).toEqual(['loaded']);
  });

  it('is not cached if everything changes as the read begins', async () => {
    expect(await loadDuring('everything', () => true)).toEqual([]);
  });

  it('is not cached if it is unknown what changed', async () => {
    expect(await loadDuring([], () => false)).toEqual([]);
  });
});

/** Returns the sessions that have ended; the absence of a session is not cached. */
function readSessions({ database }: TestApp, userId: string) {
  return database.read
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .where('revoked_at_ms', 'is not', null)
    .orderBy('id')
    .execute();
}

/** Notes a change as the triggers do. */
async function note(transaction: Transaction, userId: string): Promise<void> {
  const statement = isPostgres(transaction)
    ? sql`select note_account_change(${userId})`
    : sql`insert into account_changes (user_id) values (${userId})`;
  await statement.execute(transaction);
}

describe('another process on the SQLite file', () => {
  async function openTwo() {
    const path = `${temporaryFolder()}/latchkey.db`;
    const open = async () => {
      const database = await openSqlite(path, systemClock);
      onTestFinished(() => database.close());
      return database;
    };
    const [writer, reader] = [await open(), await open()];
    expect(reader.cacheInvalidation.catchUp()).toBe(true);
    const heard: AccountChange[] = [];
    reader.cacheInvalidation.onChange((change) => heard.push(change));
    const hear = () => {
      heard.length = 0;
      // The reader only checks every few milliseconds.
      return expect.poll(() => reader.cacheInvalidation.catchUp() && [...heard]);
    };
    return { writer, hear };
  }

  const change = (database: Database, ...users: string[]) =>
    database.write(async (transaction) => {
      for (const user of users) await note(transaction, user);
    });

  it('is notified of the changed accounts', async () => {
    const { writer, hear } = await openTwo();
    await change(writer, 'a', 'b');
    await change(writer, 'c');
    await hear().toEqual([['a', 'b', 'c']]);
    await change(writer, 'd');
    await hear().toEqual([['d']]);
  });

  it('is notified of a plan change as a change of everything', async () => {
    const { writer, hear } = await openTwo();
    await writer.write(recordChangeOfEverything);
    await hear().toEqual(['everything']);
  });

  it('drops everything after missing more changes than are stored', async () => {
    const { writer, hear } = await openTwo();
    for (let times = 0; times < 1100; times++) await change(writer, 'a');
    await hear().toEqual(['everything']);
    await change(writer, 'b');
    await hear().toEqual([['b']]);
  });

  it('looks again at once after it could not read the changes, and so misses none', async () => {
    const path = `${temporaryFolder()}/latchkey.db`;
    const clock = createFakeClock();
    const [writer, reader] = [await openSqlite(path, clock), await openSqlite(path, clock)];
    const other = new DatabaseSync(path);
    onTestFinished(async () => {
      other.close();
      await Promise.all([writer.close(), reader.close()]);
    });
    const { cacheInvalidation } = reader;
    expect(cacheInvalidation.catchUp()).toBe(true);
    const heard: AccountChange[] = [];
    cacheInvalidation.onChange((change) => heard.push(change));
    other.exec('alter table account_changes rename to hidden');
    cacheInvalidation.refresh();
    other.exec('alter table hidden rename to account_changes');
    expect(cacheInvalidation.catchUp()).toBe(true);
    await change(writer, 'a');
    clock.advance(1000);
    expect(cacheInvalidation.catchUp()).toBe(true);
    expect(heard).toEqual(['everything', ['a']]);
  });

  it('is not notified of a write that was rolled back', async () => {
    const { writer, hear } = await openTwo();
    const undone = writer.write(async (transaction) => {
      await note(transaction, 'a');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await change(writer, 'b');
    await hear().toEqual([expect.arrayContaining(['b'])]);
  });
});

const programs = findPostgres();

describe.skipIf(programs === undefined)('another process on PostgreSQL', () => {
  const postgres = sharedPostgres();

  async function openOn(url: string): Promise<Database> {
    const database = await openPostgres(url, createFakeClock());
    onTestFinished(() => database.close());
    return database;
  }

  /** Opens two databases; `through` changes the URL of the one that listens for changes. */
  async function openTwo(through: (url: string) => string = (url) => url) {
    const url = await postgres.createDatabase();
    const [writer, reader] = [await openOn(url), await openOn(through(url))];
    const heard: AccountChange[] = [];
    reader.cacheInvalidation.onChange((change) => heard.push(change));
    const catchUp = () => expect.poll(() => reader.cacheInvalidation.catchUp());
    expect(reader.cacheInvalidation.catchUp()).toBe(false);
    await catchUp().toBe(true);
    heard.length = 0;
    return { url, writer, heard, catchUp };
  }

  const change = (database: Database, ...users: string[]) =>
    database.write(async (transaction) => {
      for (const user of users) await note(transaction, user);
    });

  it('is notified of the changed accounts, but not of a write that was rolled back', async () => {
    const { writer, heard } = await openTwo();
    const undone = writer.write(async (transaction) => {
      await note(transaction, 'undone');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await change(writer, 'a', 'b', 'a');
    await expect.poll(() => heard).toEqual([['a'], ['b']]);
    await change(writer, ...Array.from({ length: 1000 }, (_, index) => `user number ${index}`));
    await expect.poll(() => heard.at(-1)).toEqual('everything');
    expect(heard.length).toBeLessThan(1000);
  });

  it('drops everything if the listening connection was lost, and listens again', async () => {
    const { url, writer, heard, catchUp } = await openTwo();
    await query(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
    );
    await expect.poll(() => heard).toContain('everything');
    await catchUp().toBe(true);
    heard.length = 0;
    await change(writer, 'a');
    await expect.poll(() => heard).toEqual([['a']]);
  });

  it('caches nothing while no notifications arrive, even if no connection breaks', async () => {
    const proxy = await TcpProxy.start(Number(new URL(await postgres.createDatabase()).port));
    const { catchUp } = await openTwo((url) => proxy.through(url));
    proxy.block();
    await catchUp().toBe(false);
  });

  /** Opens a channel through a proxy that was prepared before. */
  async function openThrough(prepare: (proxy: TcpProxy) => void): Promise<PostgresChangeChannel> {
    const url = await postgres.createDatabase();
    const database = await openOn(url);
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    prepare(proxy);
    const channel = new PostgresChangeChannel({
      url: proxy.through(url),
      executor: database.read,
      apply: () => undefined,
    });
    onTestFinished(() => channel.close());
    return channel;
  }

  it('is trusted to have received everything, even if each echo returns only after the next one was sent', async () => {
    const channel = await openThrough((proxy) => proxy.delayResponses(() => 400));
    await expect.poll(() => channel.catchUp()).toBe(true);
  });

  it('listens on another connection if the first one goes silent before it starts to listen', async () => {
    // PostgreSQL accepts a connection with one packet.
    const channel = await openThrough((proxy) => proxy.pauseAfter(1));
    await expect.poll(() => channel.catchUp()).toBe(true);
  });
});
