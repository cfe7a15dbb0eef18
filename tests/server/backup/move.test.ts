/** `move-to`: moves everything from one database to another and back. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type Admin, runCommandHere } from '../../harness/admin.ts';
import { findEverything, useEverything } from '../../harness/everything.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { findPostgres, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { createAdmin, expectUsage, temporaryFolder } from '../../harness/test-admin.ts';

type Move = {
  readonly copied: boolean;
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly digest: string }[];
};

const move = (admin: Admin, to: string) => admin.json<Move>(['move-to', to]);
const rowsOf = ({ tables }: Move, name: string) => tables.find(({ table }) => table === name)?.rows;

function changeSqlite(folder: string, statement: string): void {
  const connection = new DatabaseSync(join(folder, 'latchkey.db'));
  connection.exec(statement);
  connection.close();
}

function schemaOf(folder: string): Record<string, unknown>[] {
  const connection = new DatabaseSync(join(folder, 'latchkey.db'), { readOnly: true });
  const rows = connection.prepare('select type, name, sql from sqlite_master order by type, name').all();
  connection.close();
  return rows;
}

/** More rows than are copied at a time. */
const manyUsers = `
  with recursive number (n) as (values (1) union all select n + 1 from number where n < 1234)
  insert into users (id, email, email_key, full_name, password_hash, created_at_ms, password_changed_at_ms)
    select 'user ' || n, 'ü' || n, 'ü' || n, '', '-', 1700000000000 + n, n from number`;

/** Returns statements that give the table `users`, once created, a trigger with this body before each insert. */
const damageUsers = (body: string) => `
  create schema damage;
  create function damage.on_insert() returns trigger language plpgsql as $$ begin ${body} end $$;
  create function damage.on_create() returns event_trigger language plpgsql as $$ begin
    if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'public.users') then
      create trigger damage before insert on public.users for each row execute function damage.on_insert();
    end if;
  end $$;
  create event trigger damage on ddl_command_end when tag in ('CREATE TABLE') execute function damage.on_create()`;

const programs = findPostgres();

describe.skipIf(programs === undefined)('a move to PostgreSQL and back', () => {
  const postgres = sharedPostgres();

  it('keeps accounts, tokens, licenses and keys', async () => {
    const source = createAdmin();
    const before = await startHttpServer(source);
    const facts = await useEverything(source, before);
    await before.stop();
    changeSqlite(source.folder, manyUsers);

    const url = await postgres.createDatabase();
    const there = await move(source, url);
    expect(there.copied).toBe(true);
    expect(rowsOf(there, 'users')).toBe(1235);
    const LATCHKEY_SECRETS_FILE = join(source.folder, 'secrets.json');
    const onPostgres = createAdmin({ DATABASE_URL: url, LATCHKEY_SECRETS_FILE });
    const between = await startHttpServer(onPostgres);
    await findEverything(between, facts);
    await between.stop();

    const home = createAdmin();
    const back = await move(onPostgres, `sqlite:${home.folder}`);
    expect(rowsOf(back, 'users')).toBe(1235);
    expect(statSync(join(home.folder, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(await home.json(['check'])).toMatchObject({ ok: true });
    await findEverything(await startHttpServer(home), facts);
  });

  it('can be repeated with the same result, and leaves a database with other content unchanged', async () => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    const url = await postgres.createDatabase();
    const first = await move(source, url);
    expect(await move(source, url)).toEqual({ ...first, copied: false });

    await source.createUser('eve@example.com');
    expect(await source.failure(['move-to', url])).toMatchObject({ code: 'TARGET_NOT_EMPTY' });
    expect(await query(url, 'select email from users')).toEqual([{ email: 'ada@example.com' }]);
  });

  it('starts over if a move was interrupted', async () => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    // A row that PostgreSQL cannot store interrupts the first move halfway.
    changeSqlite(source.folder, "update users set full_name = 'a' || char(0)");
    const url = await postgres.createDatabase();
    expect((await source.runHere(['move-to', url, '--json'])).code).toBe(1);
    expect(await query(url, "select * from pg_tables where schemaname = 'public'")).toEqual([]);
    changeSqlite(source.folder, "update users set full_name = 'Ada'");
    expect(await move(source, url)).toMatchObject({ copied: true });
  });

  it.each([
    ['another value', "new.full_name := 'Eve'; return new;"],
    ['a row less', 'return null;'],
  ])('moves nothing if the target stores %s', async (_, body) => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    const url = await postgres.createDatabase();
    await query(url, damageUsers(body));
    const { code, error } = await source.failure(['move-to', url]);
    expect({ code, error }).toEqual({ code: 'CHECK_FAILED', error: expect.stringContaining('the table users') });
    expect(await query(url, "select * from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  it('does not touch the tables of another program', async () => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    const url = await postgres.createDatabase();
    await query(url, 'create table users (name text)');
    expect(await source.failure(['move-to', url])).toMatchObject({ code: 'OTHER_DATABASE' });
  });

  it('does not wait for a server, but reports that one is running on either side', async () => {
    const source = createAdmin();
    const url = await postgres.createDatabase();
    const running = await startHttpServer(source);
    expect(await source.failure(['move-to', url])).toMatchObject({ code: 'SERVER_RUNNING' });
    await running.stop();
    await startHttpServer(createAdmin({ DATABASE_URL: url }));
    expect(await source.failure(['move-to', url])).toMatchObject({ code: 'SERVER_RUNNING' });
  });
});

describe('a move to another folder', () => {
  it('copies everything with its secrets, and reports its progress on standard error', async () => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    const folder = join(temporaryFolder(), 'new');
    const { code, stderr } = await source.runHere(['move-to', `sqlite:${folder}`]);
    expect(code).toBe(0);
    expect(stderr).toContain('copying users\n');
    expect(readdirSync(folder).sort()).toEqual(['latchkey.db', 'secrets.json']);
    expect(await createAdmin({}, folder).json(['user', 'show', 'ada@example.com'])).toMatchObject({
      email: 'ada@example.com',
    });
  });

  it('creates every table and index that the source has', async () => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    const folder = join(temporaryFolder(), 'new');
    await move(source, `sqlite:${folder}`);
    expect(schemaOf(folder)).toEqual(schemaOf(source.folder));
    expect(schemaOf(folder).filter(({ type }) => type === 'index').length).toBeGreaterThan(10);
  });

  it('does not replace other secrets', async () => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secrets.json'), 'other');
    expect(await source.failure(['move-to', `sqlite:${folder}`])).toMatchObject({ code: 'FILE_EXISTS' });
    expect(readdirSync(folder)).toEqual(['secrets.json']);
    expect(readFileSync(join(folder, 'secrets.json'), 'utf8')).toBe('other');
  });

  it('is refused to the same folder, and from a folder without a database', async () => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    expect(await source.failure(['move-to', `sqlite:${source.folder}`])).toMatchObject({ code: 'SAME_DATABASE' });
    const folder = temporaryFolder();
    const empty = createAdmin();
    expect(await empty.failure(['move-to', `sqlite:${folder}`])).toMatchObject({ code: 'NOT_FOUND' });
    expect([...readdirSync(folder), ...readdirSync(empty.folder)]).toEqual([]);
  });

  it('requires the secrets of the database', async () => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    rmSync(join(source.folder, 'secrets.json'));
    const folder = join(temporaryFolder(), 'new');
    expect(await source.failure(['move-to', `sqlite:${folder}`])).toMatchObject({ code: 'CHECK_FAILED' });
    expect(existsSync(folder)).toBe(false);
  });

  it.each(['mysql://user:hidden@host/db', 'sqlite:', './folder', 'postgres:'])('is refused to %s', async (url) => {
    const result = await runCommandHere(['move-to', url], { settings: { LATCHKEY_DATA: temporaryFolder() } });
    expectUsage(result);
    expect(result.stderr).not.toContain('hidden');
  });
});
