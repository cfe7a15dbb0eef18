/**
 * Row 4 of the matrix: the process ends at any statement of a migration. What kill -9 leaves at that moment are the
 * current files, which the test copies after each statement; each copy is opened again.
 */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import type { Database, Migration } from '../../server/database/database.ts';
import { migrate, migrations } from '../../server/database/migrate.ts';
import { openSqlite } from '../../server/database/sqlite-database.ts';
import { temporaryFolder } from '../harness/test-admin.ts';
import { reportFigures } from './matrix-run.ts';

const row = 4;

/** A migration as in a later version: it adds, fills, replaces and drops columns and tables. */
const next: Migration = {
  name: '0002-of-this-test',
  async apply(transaction) {
    const run = (text: string) => sql.raw(text).execute(transaction);
    await run('alter table users add column nickname text');
    await run("update users set nickname = 'none'");
    await run('create table notes (id integer primary key, text text not null) strict');
    for (let id = 1; id <= 20; id++) await run(`insert into notes values (${id}, '${'x'.repeat(3000)}')`);
    await run('create index notes_by_text on notes (text)');
    await run('create table installers_copy as select * from installers');
    await run('drop table notes');
    await run('alter table installers_copy rename to notes');
  },
};
const wanted = [...migrations, next];

/** Copies the database files into a new folder after each statement of the work. */
async function copyAfterEachStatement(folder: string, work: () => Promise<unknown>): Promise<string[]> {
  const copies: string[] = [];
  const parent = temporaryFolder();
  const files = ['latchkey.db', 'latchkey.db-wal'];
  const copy = () => {
    if (!existsSync(join(folder, 'latchkey.db'))) return;
    const to = join(parent, String(copies.length));
    mkdirSync(to);
    for (const file of files) if (existsSync(join(folder, file))) copyFileSync(join(folder, file), join(to, file));
    copies.push(to);
  };
  const probe = new DatabaseSync(':memory:');
  const methods = Object.getPrototypeOf(probe.prepare('select 1')) as Record<string, (...values: unknown[]) => unknown>;
  probe.close();
  const names = ['run', 'all', 'get'];
  const originals = names.map((name) => methods[name]);
  for (const [index, name] of names.entries()) {
    methods[name] = function (this: unknown, ...values) {
      const result = originals[index]?.apply(this, values);
      copy();
      return result;
    };
  }
  try {
    await work();
  } finally {
    for (const [index, name] of names.entries()) methods[name] = originals[index] ?? (() => undefined);
  }
  return copies;
}

/** Migrates the database as a start of that version does. */
const upgrade = (database: Database) => migrate(database, systemClock, wanted);

const tablesOf = async ({ read }: Database): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where name not like 'sqlite_%'`.execute(
    read,
  );
  return rows.map(({ name }) => name).sort();
};

async function withDatabase<T>(folder: string, use: (database: Database) => Promise<T>): Promise<T> {
  const connection = new DatabaseSync(join(folder, 'latchkey.db'));
  expect(connection.prepare('pragma integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
  connection.close();
  const database = await openSqlite(join(folder, 'latchkey.db'), systemClock);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

describe('a process that is killed', () => {
  it('at any statement of a first start leaves nothing or all tables, and another start completes it', async () => {
    const folder = temporaryFolder();
    const whole: string[] = [];
    const copies = await copyAfterEachStatement(folder, async () => {
      const database = await openSqlite(join(folder, 'latchkey.db'), systemClock);
      whole.push(...(await tablesOf(database)));
      await database.close();
    });
    expect(copies.length).toBeGreaterThan(100);
    for (const copy of copies) {
      const raw = new DatabaseSync(join(copy, 'latchkey.db'));
      const left = raw.prepare("select name from sqlite_master where name not like 'sqlite_%'").all().length;
      raw.close();
      expect([0, whole.length], copy).toContain(left);
      expect(await withDatabase(copy, tablesOf)).toStrictEqual(whole);
    }
    reportFigures(row, { amount: 'every statement', figures: { 'statements of a first start': copies.length } });
  });

  it('at any statement of an upgrade leaves the old or the new schema, and another run completes it', async () => {
    const folder = temporaryFolder();
    const before = await openSqlite(join(folder, 'latchkey.db'), systemClock);
    const old = await tablesOf(before);
    const copies = await copyAfterEachStatement(folder, () => upgrade(before));
    const renewed = await tablesOf(before);
    expect(renewed).not.toStrictEqual(old);
    await before.close();
    expect(copies.length).toBeGreaterThan(28);
    const found = { old: 0, new: 0 };
    for (const copy of copies) {
      const raw = new DatabaseSync(join(copy, 'latchkey.db'));
      const left = raw
        .prepare("select name from sqlite_master where name not like 'sqlite_%' order by name")
        .all()
        .map(({ name }) => String(name))
        .sort();
      const columns = raw.prepare('pragma table_info(users)').all().length;
      raw.close();
      const isNew = left.includes('notes');
      expect(left, copy).toStrictEqual(isNew ? renewed : old);
      found[isNew ? 'new' : 'old'] += 1;
      if (isNew) continue;
      await withDatabase(copy, async (database) => {
        await upgrade(database);
        expect(await tablesOf(database)).toStrictEqual(renewed);
        const { rows } = await sql`select * from pragma_table_info('users')`.execute(database.read);
        expect(rows.length).toBe(columns + 1);
      });
    }
    expect(found.old).toBeGreaterThan(25);
    reportFigures(row, {
      amount: 'every statement',
      figures: {
        'statements of an upgrade': copies.length,
        'old schema after': found.old,
        'new schema after': found.new,
      },
    });
  });
});
