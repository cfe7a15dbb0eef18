/** A write to SQLite is acknowledged once it is on the disk, and the process never blocks on the disk. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import type { Database } from '../../../server/database/database.ts';
import { DatabaseUnavailable } from '../../../server/database/database-errors.ts';
import { openSqlite, type SqliteOptions } from '../../../server/database/sqlite-database.ts';
import { Deadline, runWithDeadline } from '../../../server/deadline.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const megabyte = 1024 * 1024;

/** Creates a disk whose syncs, once it is held, end when the test says so. */
function createDisk() {
  let held: PromiseWithResolvers<void> | undefined;
  let problem: Error | undefined;
  let syncs = 0;
  return {
    sync: async () => {
      syncs += 1;
      await held?.promise;
      if (problem) throw problem;
    },
    hold: () => {
      held = Promise.withResolvers();
    },
    release: () => {
      held?.resolve();
      held = undefined;
    },
    fail: (error: Error | undefined) => {
      problem = error;
    },
    countSyncs: () => syncs,
  };
}

/** The clock stands still, so that a slow machine does not end a batch of writes early. */
async function open(options: SqliteOptions) {
  const path = join(temporaryFolder(), 'latchkey.db');
  const database = await openSqlite(path, createFakeClock(), options);
  onTestFinished(() => database.close());
  return { database, path };
}

const insert = (database: Database, name: string, value = 'x') =>
  database.write((transaction) => transaction.insertInto('meta').values({ name, value }).execute());

const names = async (database: Database) =>
  (await database.read.selectFrom('meta').select('name').orderBy('name').execute()).map(({ name }) => name);

const diskError = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });

describe('a write', () => {
  it('resolves when its commit is on the disk, and writes that arrive in the meantime share the next sync', async () => {
    const disk = createDisk();
    const { database } = await open({ sync: disk.sync });
    disk.hold();
    const syncsBefore = disk.countSyncs();
    const settled: string[] = [];
    const write = (name: string) => insert(database, name).then(() => settled.push(name));
    const first = write('first');
    await expect.poll(disk.countSyncs).toBe(syncsBefore + 1);
    const others = ['a', 'b', 'c'].map(write);
    // The process continues in the meantime: it reads what is committed, even if not yet on the disk.
    expect(await names(database)).toEqual(['first']);
    expect(settled).toEqual([]);
    disk.release();
    await Promise.all([first, ...others]);
    expect(settled).toEqual(['first', 'a', 'b', 'c']);
    expect(disk.countSyncs()).toBe(syncsBefore + 2);
  });

  it('whose sync fails is rejected, as are all others, until the next start, which has what was committed', async () => {
    const disk = createDisk();
    const failures: unknown[] = [];
    const { database, path } = await open({ sync: disk.sync, onSyncFailed: (error) => failures.push(error) });
    await insert(database, 'before');
    disk.fail(diskError);
    const failed = await insert(database, 'failed').catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(DatabaseUnavailable);
    expect(failed).toMatchObject({ cause: diskError });
    expect(failures).toEqual([diskError]);
    disk.fail(undefined);
    await expect(insert(database, 'refused')).rejects.toThrow(DatabaseUnavailable);
    const next = await openSqlite(path, systemClock);
    onTestFinished(() => next.close());
    // The data is in the database file itself, whatever the disk has of the log.
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    expect(new DatabaseSync(copy).prepare('select name from meta order by name').all()).toMatchObject([
      { name: 'before' },
      { name: 'failed' },
    ]);
    await insert(next, 'after');
    expect(await names(next)).toEqual(['after', 'before', 'failed']);
  });

  it('whose sync fails ends the process with an error that gives the reason', async () => {
    const path = join(temporaryFolder(), 'latchkey.db');
    const module = (file: string) => JSON.stringify(join(import.meta.dirname, '../../../server', file));
    const program = `
      const { openSqlite } = await import(${module('database/sqlite-database.ts')});
      const { systemClock } = await import(${module('clock.ts')});
      let fails = false;
      const sync = async () => { if (fails) throw new Error('EIO: i/o error, fdatasync'); };
      const database = await openSqlite(${JSON.stringify(path)}, systemClock, { sync });
      fails = true;
      await database.write((t) => t.insertInto('meta').values({ name: 'a', value: 'x' }).execute()).catch(() => {});
      console.log('still running');`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/the disk failed to store what was written.*EIO: i\/o error/s);
  });

  it('of a request does not wait for an unresponsive disk, and the service is not ready', async () => {
    const disk = createDisk();
    const server = await startTestApp({}, { sqlite: { sync: disk.sync, stuckAfterMs: 300 } });
    disk.hold();
    onTestFinished(disk.release);
    const writeOfRequest = (name: string) => runWithDeadline(new Deadline(100), () => insert(server.database, name));
    await expect(writeOfRequest('silent')).rejects.toThrow(DatabaseUnavailable);
    server.clock.advance(301);
    const causeOfRefusal = () => writeOfRequest('refused').catch((error: Error) => String(error.cause));
    await expect.poll(causeOfRefusal).toContain('make no progress');
    expect((await server.request('GET', '/readyz')).status).toBe(503);
    expect((await server.request('GET', '/healthz')).status).toBe(200);
    disk.release();
    await expect.poll(async () => (await server.request('GET', '/readyz')).status).toBe(200);
    expect(await names(server.database)).not.toContain('refused');
  });
});

type OpenDatabase = { readonly database: Database; readonly path: string };

/** Writes `rounds` times 2 MB, in 500 transactions at once. */
async function fill(database: Database, name: string, rounds: number) {
  const page = 'x'.repeat(4000);
  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: 500 }, (_, index) => insert(database, `${name} ${round} ${index}`, page)));
  }
}

/** A checkpoint that fails on a busy machine is tried again once the log has grown, so this continues to write. */
async function expectShortLog({ database, path }: OpenDatabase) {
  let written = 0;
  const sizeAfterWrites = async () => {
    await fill(database, `later ${written++}`, 1);
    return statSync(`${path}-wal`).size;
  };
  await expect.poll(sizeAfterWrites).toBeLessThan(50 * megabyte);
}

describe('the write-ahead log', () => {
  it('stays short however much is written, while the data is moved to the database', async () => {
    const { database, path } = await open({});
    await fill(database, 'row', 30);
    expect(await names(database)).toHaveLength(30 * 500);
    expect(statSync(path).size).toBeGreaterThan(20 * megabyte);
    await expectShortLog({ database, path });
  });

  it('becomes short again after a long read has prevented that', async () => {
    const { database, path } = await open({});
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('begin; select 1 from sqlite_master');
    await fill(database, 'during', 75);
    // Larger than the size at which SQLite itself begins to checkpoint after each commit.
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(128 * megabyte);
    reader.exec('rollback');
    reader.close();
    await expectShortLog({ database, path });
  });
});
