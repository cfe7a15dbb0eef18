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
import { createFakeClock } from '../../harness/fake-clock.ts';
import { holdWriteLock } from '../../harness/lock-holder.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

/**
 * Creates a clock that advances by a millisecond with a timer of this process. On a busy machine it is as late as the
 * timers of the queue, so that nothing seems to take longer there.
 */
function createTimerClock() {
  const clock = createFakeClock();
  const timer = setInterval(() => clock.advance(1), 1);
  const stop = () => clearInterval(timer);
  onTestFinished(stop);
  const pass = (milliseconds: number) => {
    const endMs = clock.monotonic() + milliseconds;
    return expect.poll(() => clock.monotonic(), { interval: 1 }).toBeGreaterThanOrEqual(endMs);
  };
  return { ...clock, stop, pass };
}

async function open(limits: Parameters<typeof openSqlite>[2]) {
  const home = temporaryFolder();
  const path = join(home, 'latchkey.db');
  const clock = createTimerClock();
  const database = await openSqlite(path, clock, limits);
  onTestFinished(() => database.close());
  const inRequest = <T>(timeoutMs: number, work: () => T, isClosed?: () => boolean) =>
    runWithDeadline(new Deadline(timeoutMs, isClosed, clock), work);
  const timed = async (work: Promise<unknown>) => {
    const startedMs = clock.monotonic();
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { error, tookMs: clock.monotonic() - startedMs };
  };
  return { database, clock, inRequest, timed, lock: () => holdWriteLock(path, home) };
}

const insert = (database: Database, name: string) =>
  database.write((transaction) => transaction.insertInto('meta').values({ name, value: 'x' }).execute());

const names = async (database: Database) =>
  (await database.read.selectFrom('meta').select('name').execute()).map(({ name }) => name);

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

it('no write waits beyond its deadline, and most are rejected at once', async () => {
  const { database, clock, inRequest, timed, lock } = await open({ stuckAfterMs: 600 });
  const holder = await lock();
  const results: ReturnType<typeof timed>[] = [];
  for (let index = 0; index < 150; index++) {
    results.push(inRequest(1000, () => timed(insert(database, `locked ${index}`))));
    await clock.pass(20);
  }
  const ended = await Promise.all(results);
  for (const { error } of ended) expect(error).toBeInstanceOf(DatabaseUnavailable);
  expect(Math.max(...ended.map(({ tookMs }) => tookMs))).toBeLessThan(3000);
  expect(median(ended.map(({ tookMs }) => tookMs))).toBeLessThan(250);
  await holder.release();
  await insert(database, 'after');
  expect(await names(database)).toEqual(['after']);
});

it('a write whose deadline passes while it waits is rejected at that time, and never executed', async () => {
  const { database, clock, inRequest, timed, lock } = await open({ stuckAfterMs: 20_000 });
  const holder = await lock();
  const waiting = inRequest(300, () => timed(insert(database, 'too late')));
  const inTime = insert(database, 'in time');
  const { error, tookMs } = await waiting;
  clock.stop();
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  expect((error as Error).cause).toBeInstanceOf(DeadlineExceeded);
  expect(tookMs).toBeLessThan(5000);
  await holder.release();
  await inTime;
  expect(await names(database)).toEqual(['in time']);
});

it('a write of a request whose client disconnected is never executed', async () => {
  const { database, inRequest, timed, lock } = await open({});
  const holder = await lock();
  let isClosed = false;
  const abandoned = inRequest(
    10_000,
    () => timed(insert(database, 'abandoned')),
    () => isClosed,
  );
  isClosed = true;
  expect((await abandoned).error).toBeInstanceOf(DatabaseUnavailable);
  await holder.release();
  await insert(database, 'after');
  expect(await names(database)).toEqual(['after']);
});

it('the queue has a bounded length', async () => {
  const { database, timed, lock } = await open({ maxWaiting: 5 });
  const holder = await lock();
  const writes = Array.from({ length: 8 }, (_, index) => timed(insert(database, `write ${index}`)));
  await holder.release();
  const errors = (await Promise.all(writes)).map(({ error }) => error !== undefined);
  expect(errors).toEqual([false, false, false, false, false, true, true, true]);
});

it('a write waits for the lock again if none was tried for a while after a rejection', async () => {
  const { database, clock, timed, lock } = await open({ stuckAfterMs: 1000 });
  const holder = await lock();
  await expect(insert(database, 'rejected')).rejects.toThrow(DatabaseUnavailable);
  await clock.pass(1100);
  const waiting = timed(insert(database, 'waiting'));
  await clock.pass(100);
  clock.stop();
  await holder.release();
  expect((await waiting).error).toBeUndefined();
  expect(await names(database)).toEqual(['waiting']);
});
