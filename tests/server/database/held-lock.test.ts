/**
 * While another process holds the write lock of the SQLite file, writes wait until their deadline and are then
 * rejected.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import type { Database } from '../../../server/database/database.ts';
import { DatabaseUnavailable } from '../../../server/database/database-errors.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { Deadline, DeadlineExceeded, runWithDeadline } from '../../../server/deadline.ts';
import { holdWriteLock } from '../../harness/lock-holder.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const folder = () => temporaryFolder();

async function open(limits: Parameters<typeof openSqlite>[2]) {
  const home = folder();
  const path = join(home, 'latchkey.db');
  const database = await openSqlite(path, systemClock, limits);
  onTestFinished(() => database.close());
  return { database, lock: () => holdWriteLock(path, home) };
}

const insert = (database: Database, name: string) =>
  database.write((transaction) => transaction.insertInto('meta').values({ name, value: 'x' }).execute());

const names = async (database: Database) =>
  (await database.read.selectFrom('meta').select('name').execute()).map(({ name }) => name);

async function timed(work: Promise<unknown>) {
  const startedMs = performance.now();
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, tookMs: performance.now() - startedMs };
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

it('no write waits beyond its deadline, and most are rejected at once', async () => {
  const { database, lock } = await open({ stuckAfterMs: 600 });
  const holder = await lock();
  const results: ReturnType<typeof timed>[] = [];
  const endMs = performance.now() + 5000;
  for (let index = 0; performance.now() < endMs; index++) {
    results.push(runWithDeadline(new Deadline(1000), () => timed(insert(database, `locked ${index}`))));
    await sleep(20);
  }
  const ended = await Promise.all(results);
  expect(ended.length).toBeGreaterThan(50);
  for (const { error } of ended) expect(error).toBeInstanceOf(DatabaseUnavailable);
  expect(Math.max(...ended.map(({ tookMs }) => tookMs))).toBeLessThan(3000);
  expect(median(ended.map(({ tookMs }) => tookMs))).toBeLessThan(250);
  await holder.release();
  await insert(database, 'after');
  expect(await names(database)).toEqual(['after']);
}, 30_000);

it('a write whose deadline passes while it waits is rejected at that time, and never executed', async () => {
  const { database, lock } = await open({ stuckAfterMs: 20_000 });
  const holder = await lock();
  const waiting = runWithDeadline(new Deadline(300), () => timed(insert(database, 'too late')));
  const inTime = insert(database, 'in time');
  const { error, tookMs } = await waiting;
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  expect((error as Error).cause).toBeInstanceOf(DeadlineExceeded);
  expect(tookMs).toBeLessThan(5000);
  await holder.release();
  await inTime;
  expect(await names(database)).toEqual(['in time']);
}, 30_000);

it('a write of a request whose client disconnected is never executed', async () => {
  const { database, lock } = await open({});
  const holder = await lock();
  let isClosed = false;
  const abandoned = runWithDeadline(new Deadline(10_000, () => isClosed), () => timed(insert(database, 'abandoned')));
  isClosed = true;
  expect((await abandoned).error).toBeInstanceOf(DatabaseUnavailable);
  await holder.release();
  await insert(database, 'after');
  expect(await names(database)).toEqual(['after']);
}, 30_000);

it('the queue has a bounded length', async () => {
  const { database, lock } = await open({ maxWaiting: 5 });
  const holder = await lock();
  const writes = Array.from({ length: 8 }, (_, index) => timed(insert(database, `write ${index}`)));
  await holder.release();
  const errors = (await Promise.all(writes)).map(({ error }) => error !== undefined);
  expect(errors).toEqual([false, false, false, false, false, true, true, true]);
}, 30_000);

it('a write waits for the lock again if none was tried for a while after a rejection', async () => {
  const { database, lock } = await open({ stuckAfterMs: 1000 });
  const holder = await lock();
  await expect(insert(database, 'rejected')).rejects.toThrow(DatabaseUnavailable);
  await sleep(1100);
  const waiting = timed(insert(database, 'waiting'));
  await sleep(100);
  await holder.release();
  expect((await waiting).error).toBeUndefined();
  expect(await names(database)).toEqual(['waiting']);
}, 30_000);
