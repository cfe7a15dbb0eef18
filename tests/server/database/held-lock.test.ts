/**
 * While another process holds the write lock of the SQLite file, writes wait until their deadline and are then
 * rejected.
 */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../server/database/database.ts';
import { DatabaseUnavailable } from '../../../server/database/database-errors.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { Deadline, DeadlineExceeded, runWithDeadline } from '../../../server/deadline.ts';
import { testStartMs } from '../../harness/fake-clock.ts';
import { holdWriteLock } from '../../harness/lock-holder.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';
import { ProcessTimers, VirtualTime } from '../../simulation/virtual-time.ts';

/** Opens a database whose queue waits in virtual time, while the lock is held by a real process. */
async function open(limits: Parameters<typeof openSqlite>[2]) {
  const home = temporaryFolder();
  const path = join(home, 'latchkey.db');
  const time = new VirtualTime(testStartMs);
  const clock = { now: () => time.nowMs, monotonic: () => time.nowMs };
  const database = await openSqlite(path, clock, { ...limits, scheduler: new ProcessTimers(time) });
  onTestFinished(async () => {
    const closed = database.close();
    await time.advance(30_000);
    await closed;
  });
  const inRequest = <T>(timeoutMs: number, work: () => T, isClosed?: () => boolean) =>
    runWithDeadline(new Deadline(timeoutMs, isClosed, clock), work);
  const timed = async (work: Promise<unknown>) => {
    const startedMs = time.nowMs;
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { error, tookMs: time.nowMs - startedMs };
  };
  /** Lets time pass until the work ends. */
  const ended = <T>(work: Promise<T>) => time.finish(work, 60_000);
  return { database, time, ended, inRequest, timed, lock: () => holdWriteLock(path, home) };
}

const insert = (database: Database, name: string) =>
  database.write((transaction) => transaction.insertInto('meta').values({ name, value: 'x' }).execute());

const names = async (database: Database) =>
  (await database.read.selectFrom('meta').select('name').execute()).map(({ name }) => name);

it('writes wait until it is certain that the lock is held, and from then on are rejected at once', async () => {
  const { database, time, ended, inRequest, timed, lock } = await open({ stuckAfterMs: 600 });
  const holder = await lock();
  const results: ReturnType<typeof timed>[] = [];
  for (let index = 0; index < 150; index++) {
    results.push(inRequest(1000, () => timed(insert(database, `locked ${index}`))));
    await time.advance(20);
  }
  const all = await Promise.all(results);
  for (const { error } of all) expect(error).toBeInstanceOf(DatabaseUnavailable);
  // The pauses between two tries are random, and up to 20 ms long.
  const [waited, rejected] = [all.slice(0, 30), all.slice(32)];
  for (const [index, { tookMs }] of waited.entries()) {
    expect(tookMs).toBeGreaterThan(600 - index * 20);
    expect(tookMs).toBeLessThanOrEqual(600 - index * 20 + 20);
  }
  for (const { tookMs } of rejected) expect(tookMs).toBe(0);
  await holder.release();
  await ended(insert(database, 'after'));
  expect(await names(database)).toEqual(['after']);
});

it('a write whose deadline passes while it waits is rejected at that time, and never executed', async () => {
  const { database, ended, inRequest, timed, lock } = await open({ stuckAfterMs: 20_000 });
  const holder = await lock();
  const waiting = inRequest(300, () => timed(insert(database, 'too late')));
  const inTime = insert(database, 'in time');
  const { error, tookMs } = await ended(waiting);
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  expect((error as Error).cause).toBeInstanceOf(DeadlineExceeded);
  expect(tookMs).toBe(300);
  await holder.release();
  await ended(inTime);
  expect(await names(database)).toEqual(['in time']);
});

it('a write of a request whose client disconnected is never executed', async () => {
  const { database, ended, inRequest, timed, lock } = await open({});
  const holder = await lock();
  let isClosed = false;
  const abandoned = inRequest(
    10_000,
    () => timed(insert(database, 'abandoned')),
    () => isClosed,
  );
  isClosed = true;
  expect((await ended(abandoned)).error).toBeInstanceOf(DatabaseUnavailable);
  await holder.release();
  await ended(insert(database, 'after'));
  expect(await names(database)).toEqual(['after']);
});

it('the queue has a bounded length', async () => {
  const { database, ended, timed, lock } = await open({ maxWaiting: 5 });
  const holder = await lock();
  const writes = Array.from({ length: 8 }, (_, index) => timed(insert(database, `write ${index}`)));
  await holder.release();
  const errors = (await ended(Promise.all(writes))).map(({ error }) => error !== undefined);
  expect(errors).toEqual([false, false, false, false, false, true, true, true]);
});

it('a write waits for the lock again if none was tried for a while after a rejection', async () => {
  const { database, time, ended, timed, lock } = await open({ stuckAfterMs: 1000 });
  const holder = await lock();
  expect((await ended(timed(insert(database, 'rejected')))).error).toBeInstanceOf(DatabaseUnavailable);
  await time.advance(1100);
  const waiting = timed(insert(database, 'waiting'));
  await time.advance(100);
  await holder.release();
  expect((await ended(waiting)).error).toBeUndefined();
  expect(await names(database)).toEqual(['waiting']);
});
