/** The database in PostgreSQL gives the same guarantees as in SQLite. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Database, Migration, Transaction } from '../../../server/database/database.ts';
import { DatabaseUnavailable, isConstraintViolation } from '../../../server/database/database-errors.ts';
import { migrations } from '../../../server/database/migrate.ts';
import { migrateWithRetries, openPostgres } from '../../../server/database/postgres-database.ts';
import { prepareQuery } from '../../../server/database/prepared-query.ts';
import { lockRows } from '../../../server/database/row-locks.ts';
import { Deadline, runWithDeadline } from '../../../server/deadline.ts';
import { SigningKeyService } from '../../../server/keys/signing-key.service.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { EventOutbox } from '../../../server/webhooks/event-outbox.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { fixedSecrets } from '../../harness/fixed-secrets.ts';
import { findPostgres, lockWaits, patientTimeouts, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';

const programs = findPostgres();

describe.skipIf(programs === undefined)('the database in PostgreSQL', () => {
  const postgres = sharedPostgres();

  const open = async (url: string): Promise<Database> => {
    const database = await openPostgres(url, createFakeClock(), patientTimeouts);
    onTestFinished(() => database.close());
    return database;
  };
  const insertFact = (database: Database, name: string, value: string) =>
    database.write((transaction) => transaction.insertInto('meta').values({ name, value }).execute());
  const lockFact = (transaction: Transaction, name: string) =>
    lockRows(transaction, () => transaction.selectFrom('meta').select('name').where('name', '=', name));
  const changeFact = (transaction: Transaction, name: string, value: string) =>
    transaction.updateTable('meta').set({ value }).where('name', '=', name).execute();
  const readFacts = (database: Database) => database.read.selectFrom('meta').selectAll().orderBy('name').execute();

  it('has the default plans, times as numbers, and is not migrated twice', async () => {
    const url = await postgres.createDatabase();
    await open(url);
    const database = await open(url);
    const plans = await database.read.selectFrom('plans').selectAll().orderBy('max_devices').execute();
    expect(plans).toMatchObject([
      { name: 'free', max_devices: 1 },
      { name: 'standard' },
      { name: 'advanced', max_devices: 10 },
    ]);
    expect(plans[0]?.created_at_ms).toBe(createFakeClock().now());
  });

  it('is created by processes that start at the same time', async () => {
    const url = await postgres.createDatabase();
    const databases = await Promise.all([1, 2, 3, 4].map(() => open(url)));
    for (const database of databases) {
      expect(await database.read.selectFrom('plans').select('name').execute()).toHaveLength(3);
    }
  });

  it('rolls back a write that throws, but not those that run at the same time', async () => {
    const database = await open(await postgres.createDatabase());
    const failing = database.write(async (transaction) => {
      await transaction.insertInto('meta').values({ name: 'b', value: '2' }).execute();
      throw new Error('no');
    });
    const results = await Promise.allSettled([insertFact(database, 'a', '1'), failing, insertFact(database, 'c', '3')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await readFacts(database)).toEqual([
      { name: 'a', value: '1' },
      { name: 'c', value: '3' },
    ]);
  });

  it('recognizes a violated constraint, and continues', async () => {
    const database = await open(await postgres.createDatabase());
    await insertFact(database, 'a', '1');
    const [again] = await Promise.allSettled([insertFact(database, 'a', '2'), insertFact(database, 'b', '1')]);
    expect(again.status).toBe('rejected');
    if (again.status === 'rejected') expect(isConstraintViolation(again.reason)).toBe(true);
    expect(await readFacts(database)).toHaveLength(2);
  });

  it('loses no change of a row that each write locks before reading, even with several processes', async () => {
    const url = await postgres.createDatabase();
    const databases = await Promise.all([open(url), open(url), open(url)]);
    const first = databases[0];
    if (!first) throw new Error('there are three');
    await insertFact(first, 'count', '0');
    const increment = (database: Database) =>
      database.write(async (transaction) => {
        await lockFact(transaction, 'count');
        const { value } = await transaction
          .selectFrom('meta')
          .select('value')
          .where('name', '=', 'count')
          .executeTakeFirstOrThrow();
        await changeFact(transaction, 'count', String(Number(value) + 1));
      });
    await Promise.all(databases.flatMap((database) => Array.from({ length: 40 }, () => increment(database))));
    expect(await readFacts(first)).toEqual([{ name: 'count', value: '120' }]);
  });

  it('retries a write that PostgreSQL aborted because of a deadlock', async () => {
    const database = await open(await postgres.createDatabase());
    await insertFact(database, 'a', '');
    await insertFact(database, 'b', '');
    const haveBothBegun = createBarrier(2);
    const oneIsDone = Promise.withResolvers<void>();
    let runs = 0;
    const writeBoth = async (first: string, second: string) => {
      await database.write(async (transaction) => {
        // A released row goes to the next write that asks for it, not to the one that has waited. On a slow machine,
        // the retry could lock its first row before the other write wakes up, and both would deadlock once more.
        if (++runs > 2) await oneIsDone.promise;
        await changeFact(transaction, first, `${first}${second}`);
        await haveBothBegun();
        await changeFact(transaction, second, `${first}${second}`);
      });
      oneIsDone.resolve();
    };
    await Promise.all([writeBoth('a', 'b'), writeBoth('b', 'a')]);
    const [a, b] = await readFacts(database);
    expect(a?.value).toBe(b?.value);
    expect(runs).toBe(3);
  });

  it('fails a write if a statement fails, with the error of that statement', async () => {
    const database = await open(await postgres.createDatabase());
    await insertFact(database, 'a', '1');
    const insertAgain = (transaction: Transaction) =>
      transaction.insertInto('meta').values({ name: 'a', value: '2' }).execute();
    const atTheEnd = database.write(insertAgain).catch((error: unknown) => error);
    expect(isConstraintViolation(await atTheEnd)).toBe(true);
    const inTheMiddle = database.write(async (transaction) => {
      await insertAgain(transaction);
      await changeFact(transaction, 'a', '3');
    });
    expect(isConstraintViolation(await inTheMiddle.catch((error: unknown) => error))).toBe(true);
    expect(await readFacts(database)).toEqual([{ name: 'a', value: '1' }]);
  });

  it('waits for the disk, even if the database is configured not to', async () => {
    const url = await postgres.createDatabase();
    await query(url, `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`);
    const database = await open(url);
    const settings = await database.write(async (transaction) => ({
      ...(await sql<Record<string, string>>`show synchronous_commit`.execute(transaction)).rows[0],
      ...(await sql<Record<string, string>>`show fsync`.execute(transaction)).rows[0],
    }));
    expect(settings).toEqual({ synchronous_commit: 'on', fsync: 'on' });
  });

  it('is unavailable while its connections are cut, and recovers without help', async () => {
    const url = await postgres.createDatabase();
    const database = await open(url);
    await readFacts(database);
    const cut = database.write(async (transaction) => {
      await query(
        url,
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      );
      await sql`select 1`.execute(transaction);
    });
    await expect(cut).rejects.toThrow(DatabaseUnavailable);
    await insertFact(database, 'after', 'wards');
    expect(await readFacts(database)).toHaveLength(1);
  });

  it('can write again after a write gave up waiting for a lock', async () => {
    const url = await postgres.createDatabase();
    const database = await open(url);
    const holder = await open(url);
    await insertFact(holder, 'a', '1');
    await holder.write(async (transaction) => {
      await changeFact(transaction, 'a', '2');
      const tooLate = database.write((waiting) => changeFact(waiting, 'a', '3'));
      const rejected = tooLate.catch((reason: unknown) => reason);
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
      await query(url, `select pg_cancel_backend(pid) from (${lockWaits}) as them`);
      expect(await rejected).toBeInstanceOf(DatabaseUnavailable);
    });
    await database.write((transaction) => changeFact(transaction, 'a', '4'));
    expect(await readFacts(database)).toEqual([{ name: 'a', value: '4' }]);
  });

  it('retries a write that queued an event for an endpoint which was removed at the same time', async () => {
    const url = await postgres.createDatabase();
    const database = await open(url);
    const remover = await open(url);
    const clock = createFakeClock();
    const outbox = new EventOutbox({ clock, random: systemRandom });
    const created_at_ms = clock.now();
    const endpoint = { id: randomUUID(), url: 'https://crm.example', events: '*', encrypted_secret: '', created_at_ms };
    await remover.write((transaction) =>
      transaction
        .insertInto('webhook_endpoints')
        .values({ ...endpoint, disabled_at_ms: null, disabled_reason: null })
        .execute(),
    );
    let writing: Promise<unknown> = Promise.resolve();
    await remover.write(async (transaction) => {
      await transaction.deleteFrom('webhook_endpoints').execute();
      writing = database.write(async (other) => {
        await outbox.add(other, {
          type: 'license.revoked',
          userId: null,
          data: { license_id: 'l', key_preview: 'p', plan: 'standard' },
        });
        await other.insertInto('meta').values({ name: 'revoked', value: '1' }).execute();
      });
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
    });
    await writing;
    expect(await readFacts(database)).toEqual([{ name: 'revoked', value: '1' }]);
  });

  it('does not keep trying a write of something for an account that has been deleted', async () => {
    const database = await open(await postgres.createDatabase());
    let runs = 0;
    const writing = database.write(async (transaction) => {
      runs += 1;
      const period = { current_period_start_ms: 1, current_period_end_ms: 2, created_at_ms: 1, updated_at_ms: 1 };
      const [id, user_id, reference] = [randomUUID(), randomUUID(), 'r'];
      const flags = { is_replaced: 0, by_typed_email: 0, cancel_at_period_end: 0 } as const;
      await transaction
        .insertInto('subscriptions')
        .values({ id, user_id, reference, source: 'account', plan: 'standard', status: 'active', ...period, ...flags })
        .execute();
    });
    await expect(writing).rejects.toSatisfy(isConstraintViolation);
    expect(runs).toBeLessThan(5);
  });

  it('keeps its other connections when the deadline of a request passes during a query', async () => {
    const database = await open(await postgres.createDatabase());
    const readPids = async (count: number) => {
      const read = () => sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.2)`.execute(database.read);
      const results = await Promise.all(Array.from({ length: count }, read));
      return results.map(({ rows }) => rows[0]?.pid);
    };
    const before = await readPids(4);
    expect(new Set(before).size).toBe(4);
    const slow = runWithDeadline(new Deadline(300), () => sql`select pg_sleep(3)`.execute(database.read));
    await expect(slow).rejects.toThrow(DatabaseUnavailable);
    const after = await readPids(3);
    expect(before).toEqual(expect.arrayContaining(after));
  });

  it('keeps working while a newer version adds tables and columns', async () => {
    const url = await postgres.createDatabase();
    const database = await open(url);
    const findFacts = prepareQuery((executor, { value }: { value: string }) =>
      executor.selectFrom('meta').selectAll().where('value', '=', value),
    );
    const useDatabase = async () => {
      const [read, written] = await Promise.all([
        findFacts.all(database.read, { value: '1' }),
        database.write((transaction) => findFacts.all(transaction, { value: '1' })),
      ]);
      return [read.length, written.length];
    };
    await insertFact(database, 'a', '1');
    for (const addition of ['alter table meta add column x text', 'alter table meta add column y bigint', '']) {
      // By now, every connection has prepared the statement.
      await Promise.all(Array.from({ length: 20 }, useDatabase));
      await query(url, `${addition}; insert into migrations values ('9999 ${addition}', 0)`);
      expect(await Promise.all(Array.from({ length: 20 }, useDatabase))).toEqual(Array(20).fill([1, 1]));
    }
    await insertFact(database, 'b', '2');
    await expect(open(url)).rejects.toThrow('newer version');
  });

  it('is migrated once a table is free, even if another transaction holds it longer than a query may wait', async () => {
    const url = await postgres.createDatabase();
    const holder = await open(url);
    const addition: Migration = {
      name: '9999-addition',
      apply: async (transaction) => void (await sql`alter table refresh_tokens add column x text`.execute(transaction)),
    };
    let migrating: Promise<void> | undefined;
    const waits = async () => (await query(url, lockWaits)).length;
    await holder.write(async (transaction) => {
      await transaction.selectFrom('refresh_tokens').select('token_hash').execute();
      const isUsed = setInterval(() => void sql`select 1`.execute(transaction).catch(() => undefined), 500);
      migrating = migrateWithRetries(url, createFakeClock(), [...migrations, addition]);
      for (const count of [1, 0, 1]) await expect.poll(waits, { interval: 20 }).toBe(count);
      clearInterval(isUsed);
    });
    await migrating;
    expect(await query(url, "select 1 from migrations where name = '9999-addition'")).toHaveLength(1);
  });

  it('is free again soon after the process that migrates it has ended in the middle of a long statement', async () => {
    const url = await postgres.createDatabase();
    const server = await open(url);
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    const addition: Migration = {
      name: '9999-addition',
      apply: async (transaction) => void (await sql`alter table meta add column x text`.execute(transaction)),
    };
    const pause: Migration = {
      name: '9999-pause',
      apply: async (transaction) => void (await sql`select pg_sleep(3600)`.execute(transaction)),
    };
    const all = [...migrations, addition, pause];
    const migrating = migrateWithRetries(proxy.through(url), createFakeClock(), all).catch(() => 'lost');
    const sleeping = "select 1 from pg_stat_activity where wait_event = 'PgSleep'";
    await expect.poll(() => query(url, sleeping)).toHaveLength(1);
    await proxy.cut();
    expect(await migrating).toBe('lost');
    await expect.poll(() => query(url, sleeping)).toEqual([]);
    await insertFact(server, 'a', '1');
  });

  it('is not queried for a signing key with a key id that cannot be stored', async () => {
    const database = await open(await postgres.createDatabase());
    const keys = new SigningKeyService({
      purpose: 'access_token',
      database,
      secrets: fixedSecrets,
      clock: createFakeClock(),
      random: systemRandom,
      lifetimeMs: 1000,
    });
    const current = await keys.current();
    for (const kid of ['\0', 'a\0b', '', 'x'.repeat(10_000)]) expect(await keys.find(kid)).toBeUndefined();
    expect((await keys.find(current.kid))?.kid).toBe(current.kid);
  });

  it('is rejected if it has tables of another program', async () => {
    const url = await postgres.createDatabase();
    await query(url, 'create table users (id text)');
    await expect(open(url)).rejects.toThrow('is not a database of this service');
    expect(await query(url, "select tablename from pg_tables where schemaname = 'public'")).toEqual([
      { tablename: 'users' },
    ]);
  });

  it('is rejected if its role may not create tables, with what to do', async () => {
    const url = new URL(await postgres.createDatabase());
    await query(url.href, `create role "guest-1" login password 'x'; revoke create on schema public from public`);
    [url.username, url.password] = ['guest-1', 'x'];
    await expect(openPostgres(url.href, createFakeClock())).rejects.toThrow(
      /^DATABASE_URL: postgres:.+ cannot be used \(permission denied for schema public\): .+\(alter database "\w+" owner to "guest-1"\) and of its tables$/,
    );
    url.username = '';
    vi.stubEnv('PGUSER', 'guest-1');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(openPostgres(url.href, createFakeClock())).rejects.toThrow('owner to "guest-1"');
  });

  it('is rejected if it is from a newer version', async () => {
    const url = await postgres.createDatabase();
    await (await open(url)).close();
    await query(url, "insert into migrations values ('9999-of-the-future', 0)");
    await expect(open(url)).rejects.toThrow('newer version');
  });
});

it('an unreachable PostgreSQL is named in the error, without its password', async () => {
  const url = `postgres://someone:${randomUUID()}@127.0.0.1:1/nowhere`;
  const opened = openPostgres(url, createFakeClock());
  await expect(opened).rejects.toThrow('postgres://127.0.0.1:1/nowhere cannot be used');
  await expect(opened).rejects.not.toThrow(new URL(url).password);
});

it('a missing password is named in the error, and the connection is closed at once', async () => {
  // Asks for SCRAM-SHA-256, as PostgreSQL does by default, and then for the proof.
  const messages = [
    [10, 'SCRAM-SHA-256\0\0'],
    [11, ''],
  ] as const;
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('close', close);
    let next = 0;
    socket
      .on('error', () => {})
      .on('data', () => {
        const [type, text] = messages[next++] ?? messages[1];
        const head = Buffer.alloc(9);
        head.write('R');
        head.writeInt32BE(8 + text.length, 1);
        head.writeInt32BE(type, 5);
        socket.write(Buffer.concat([head, Buffer.from(text)]));
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('PGPASSWORD', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(openPostgres(`postgres://someone@127.0.0.1:${port}/x`, createFakeClock())).rejects.toThrow(
    /^DATABASE_URL: .+ cannot be used \(it asks for a password: add it to the URL, or set PGPASSWORD\)$/,
  );
  await closed;
});

/** Returns a function that resolves for each caller once `count` have called it, and at once for later callers. */
function createBarrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = count;
  return () => {
    if (--missing === 0) resolve();
    return promise;
  };
}
