/** The database in SQLite: which files are opened and which are rejected, and what a write guarantees. */
import { fork, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import type { Database, Transaction } from '../../../server/database/database.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';

let folder: string;
let path: string;
const opened: Database[] = [];
const open = async () => {
  const database = await openSqlite(path, systemClock);
  opened.push(database);
  return database;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-database-'));
  path = join(folder, 'data', 'latchkey.db');
});
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const put =
  (name: string, value = 'x') =>
  (transaction: Transaction) =>
    transaction.insertInto('meta').values({ name, value }).execute();
const names = async (database: Database) => {
  const rows = await database.read.selectFrom('meta').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
};

/** Paths of the files that this process has open. */
const openFiles = () =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return [];
    }
  });

describe('opening', () => {
  it('creates the folder and the file for their owner only, with the default plans', async () => {
    const database = await open();
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const plans = await database.read.selectFrom('plans').select(['name', 'max_devices']).execute();
    expect(plans).toEqual([
      { name: 'free', max_devices: 1 },
      { name: 'standard', max_devices: 3 },
      { name: 'advanced', max_devices: 10 },
    ]);
  });

  it('finds what was written before', async () => {
    const database = await open();
    await database.write(put('stored'));
    await database.close();
    expect(await names(await open())).toEqual(['stored']);
  });

  it('by several processes at once creates one database', async () => {
    const databases = await Promise.all([open(), open(), open()]);
    await Promise.all(databases.map((database, index) => database.write(put(`from ${index}`))));
    expect(await names(databases[0] as Database)).toEqual(['from 0', 'from 1', 'from 2']);
  });

  it.each([
    ['an empty file', () => writeFileSync(path, '')],
    ['a text', () => writeFileSync(path, 'my diary '.repeat(1000))],
    [
      'the database of another program',
      () => new DatabaseSync(path).exec('create table t (a); insert into t values (1)'),
    ],
    ['a database of an older kind', () => new DatabaseSync(path).exec('pragma application_id = 7; create table t (a)')],
  ])('rejects %s and leaves it unchanged', async (_what, make) => {
    path = join(folder, 'latchkey.db');
    make();
    const before = readFileSync(path);
    await expect(open()).rejects.toThrow(/is not a database of this service/);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('rejects the database of a newer version', async () => {
    const database = await open();
    await database.write((transaction) =>
      transaction.insertInto('migrations').values({ name: '9999-later', applied_at_ms: 1 }).execute(),
    );
    await database.close();
    await expect(open()).rejects.toThrow(/newer version/);
  });
});

describe('a write', () => {
  it('that fails is rolled back alone, even if it shares its commit with others', async () => {
    const database = await open();
    const results = await Promise.allSettled([
      database.write(put('a')),
      database.write(async (transaction) => {
        await put('b')(transaction);
        throw new Error('changed my mind');
      }),
      database.write(put('a')),
      database.write(put('c')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(await names(database)).toEqual(['a', 'c']);
  });

  it('runs once, even if another write in the same commit fails after changing something', async () => {
    const database = await open();
    const countRuns = async (failing: (transaction: Transaction) => Promise<unknown>) => {
      let runs = 0;
      const counted = database.write(async () => ++runs);
      await Promise.allSettled([counted, database.write(failing)]);
      return runs;
    };
    await database.write(put('taken'));
    const refuse = async (transaction: Transaction) => {
      await transaction.selectFrom('meta').selectAll().execute();
      throw new Error('not allowed');
    };
    expect(await countRuns(refuse)).toBe(1);
    expect(await countRuns(put('taken'))).toBe(1);
    expect(await countRuns((transaction) => put('new')(transaction).then(() => refuse(transaction)))).toBe(1);
    expect(await names(database)).toEqual(['taken']);
  });

  it.runIf(process.platform === 'linux')(
    'keeps what a rollback needs in memory, without a temporary file',
    async () => {
      const database = await open();
      for (let index = 0; index < 40; index += 1) await database.write(put(`large ${index}`, 'x'.repeat(4000)));
      const temporaryFiles = await database.write(async (transaction) => {
        await transaction.updateTable('meta').set({ value: 'y' }).where('name', 'like', 'large %').execute();
        return openFiles().filter((file) => file.includes('etilqs_'));
      });
      expect(temporaryFiles).toEqual([]);
    },
  );

  it('is visible to reads once it has resolved, but not before', async () => {
    const database = await open();
    let seenWithin: string[] = [];
    await database.write(async (transaction) => {
      await put('a')(transaction);
      seenWithin = await names(database);
    });
    expect(seenWithin).toEqual([]);
    expect(await names(database)).toEqual(['a']);
  });

  it('sees the changes of the write before it', async () => {
    const database = await open();
    await database.write(put('count', '0'));
    const increment = () =>
      database.write(async (transaction) => {
        const row = await transaction.selectFrom('meta').select('value').executeTakeFirstOrThrow();
        await transaction
          .updateTable('meta')
          .set({ value: String(Number(row.value) + 1) })
          .execute();
      });
    await Promise.all(Array.from({ length: 500 }, increment));
    expect(await database.read.selectFrom('meta').select('value').execute()).toEqual([{ value: '500' }]);
  });

  it('cannot be made through the read connection', async () => {
    const database = await open();
    await expect(database.read.insertInto('meta').values({ name: 'a', value: 'x' }).execute()).rejects.toThrow(
      /readonly/,
    );
  });

  it('waits for another process that is writing', async () => {
    const database = await open();
    const script = `
      const { DatabaseSync } = require('node:sqlite');
      const other = new DatabaseSync(${JSON.stringify(path)});
      other.exec("begin immediate; insert into meta values ('theirs', 'x')");
      process.send('locked');
      process.on('message', () => { other.exec('commit'); process.disconnect(); });
    `;
    writeFileSync(join(folder, 'other.cjs'), script);
    const other = fork(join(folder, 'other.cjs'));
    await new Promise((resolve) => other.once('message', resolve));
    const mine = database.write(put('mine'));
    expect(await names(database)).toEqual([]);
    other.send('go on');
    await mine;
    expect(await names(database)).toEqual(['mine', 'theirs']);
  });

  it('that was accepted is completed before the database closes', async () => {
    const database = await open();
    const writes = Array.from({ length: 300 }, (_, index) => database.write(put(String(index))));
    await database.close();
    await Promise.all(writes);
    expect(await names(await open())).toHaveLength(300);
  });

  it('is checked against the table constraints', async () => {
    const database = await open();
    const family = { id: 'f', created_at_ms: 1, expires_at_ms: 2, revoked_at_ms: null };
    await expect(
      database.write((transaction) =>
        transaction
          .insertInto('sessions')
          .values({ ...family, user_id: 'nobody' })
          .execute(),
      ),
    ).rejects.toThrow(/FOREIGN KEY/);
    await expect(database.write(put(7 as unknown as string, {} as string))).rejects.toThrow();
  });

  it('survives kill -9 of the process once it has resolved', async () => {
    await (await open()).close();
    const script = `
      import { openSqlite } from ${JSON.stringify(new URL('../../../server/database/sqlite-database.ts', import.meta.url).href)};
      import { writeSync } from 'node:fs';
      const database = await openSqlite(${JSON.stringify(path)}, { now: Date.now, monotonic: () => 0 });
      for (let i = 0; ; i++) {
        await Promise.all([0, 1, 2].map(async (j) => {
          const name = i + '-' + j;
          await database.write((t) => t.insertInto('meta').values({ name, value: 'x' }).execute());
          writeSync(1, name + '\\n');
        }));
        if (i === 50) process.kill(process.pid, 'SIGKILL');
      }
    `;
    writeFileSync(join(folder, 'writer.mts'), script);
    const { stdout, signal } = spawnSync(process.execPath, [join(folder, 'writer.mts')], { encoding: 'utf8' });
    expect(signal).toBe('SIGKILL');
    const acknowledged = stdout.trim().split('\n');
    expect(acknowledged.length).toBeGreaterThan(100);
    const stored = new Set(await names(await open()));
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
  });
});
