/** `backup`, `restore` and `check` on PostgreSQL, and between the two kinds of database. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Admin } from '../../harness/admin.ts';
import { findEverything, useEverything } from '../../harness/everything.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { findPostgres, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';
import { inTime } from '../../harness/users.ts';

const programs = findPostgres();

describe.skipIf(programs === undefined)('on PostgreSQL', () => {
  const postgres = sharedPostgres();

  const setUp = async () => {
    const url = await postgres.createDatabase();
    return { url, admin: createAdmin({ DATABASE_URL: url }) };
  };

  it('every service works, and a backup can be restored into another database', async () => {
    const { admin } = await setUp();
    const server = await startHttpServer(admin);
    const facts = await useEverything(admin, server);
    const file = join(temporaryFolder(), 'backup.tar');
    const report = await admin.json(['backup', file]);
    expect(report).toMatchObject({ database: 'postgres', rows: { users: 1, licenses: 1, activations: 1 } });
    expect(await admin.json(['check'])).toMatchObject({
      ok: true,
      database: 'postgres',
      secrets: 'match',
      problems: [],
    });
    await server.stop();
    expect(readdirSync(admin.folder)).toEqual(['audit-head.json', 'secrets.json']);

    const other = await setUp();
    expect(await other.admin.json(['restore', file])).toMatchObject({ database: 'postgres', replaced: null });
    await findEverything(await startHttpServer(other.admin), facts);
  });

  it('a backup of SQLite can be restored into PostgreSQL, and one of PostgreSQL into SQLite', async () => {
    const sqlite = createAdmin();
    const before = await startHttpServer(sqlite);
    const facts = await useEverything(sqlite, before);
    const file = join(temporaryFolder(), 'sqlite.tar');
    await sqlite.json(['backup', file]);
    await before.stop();

    const { admin } = await setUp();
    await admin.json(['restore', file]);
    const between = await startHttpServer(admin);
    await findEverything(between, facts);
    const back = join(temporaryFolder(), 'postgres.tar');
    await admin.json(['backup', back]);
    await between.stop();

    const home = createAdmin();
    expect(await home.json(['restore', back])).toMatchObject({ database: 'sqlite' });
    expect(await home.json(['check'])).toMatchObject({ ok: true });
    await findEverything(await startHttpServer(home), facts);
  });

  it('a role that may not create tables is named by restore and move-to, which leave nothing behind', async () => {
    const url = new URL(await postgres.createDatabase());
    const role = `guest_${url.pathname.slice(1)}`;
    await query(url.href, `create role "${role}" login password 'x'; revoke create on schema public from public`);
    [url.username, url.password] = [role, 'x'];
    const [source, target] = [createAdmin(), createAdmin({ DATABASE_URL: url.href })];
    await source.createUser('ada@example.com');
    const file = join(temporaryFolder(), 'backup.tar');
    await source.json(['backup', file]);
    writeFileSync(join(target.folder, 'secrets.json'), readFileSync(join(source.folder, 'secrets.json')), {
      mode: 0o600,
    });
    const says = expect.stringMatching(/^postgres:.+ \(permission denied for schema public\): make its role the owner/);
    expect(await target.failure(['restore', file])).toMatchObject({ error: says });
    expect(readdirSync(target.folder)).toEqual(['secrets.json']);
    expect(await source.failure(['move-to', url.href])).toMatchObject({ error: says });
  });

  it('a database that is not in UTF8 is refused with what to do, by a first start, restore and move-to', async () => {
    const url = await postgres.createDatabase();
    const name = `${new URL(url).pathname.slice(1)}_latin`;
    await query(url, `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const latin = new URL(`/${name}`, url).href;
    const [source, target] = [createAdmin(), createAdmin({ DATABASE_URL: latin })];
    await source.createUser('ada@example.com');
    const file = join(temporaryFolder(), 'backup.tar');
    await source.json(['backup', file]);
    const error = expect.stringMatching(/cannot be used \(.+"LATIN1"\): create the database with "encoding 'UTF8'/);
    expect(await target.failure(['plan', 'list'])).toMatchObject({ error, code: 'CANNOT_START' });
    expect(await target.failure(['restore', file])).toMatchObject({ error });
    expect(await source.failure(['move-to', latin])).toMatchObject({ error });
    expect(await query(latin, "select tablename from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  it('a role or database that does not exist is not tried again: check and backup name the setting', async () => {
    const url = new URL(await postgres.createDatabase());
    url.username = 'nobody';
    const error = expect.stringMatching(/^The database cannot be used .+nobody.+ Check DATABASE_URL\.$/);
    const admin = createAdmin({ DATABASE_URL: url.href });
    expect(await admin.failure(['check'])).toMatchObject({ error });
    expect(await admin.failure(['backup', join(temporaryFolder(), 'b.tar')])).toMatchObject({ error });
    const missing = new URL('/nobody', await postgres.createDatabase()).href;
    expect(await createAdmin({ DATABASE_URL: missing }).failure(['check'])).toMatchObject({ error });
  });

  it('a restore killed before its secrets are in place is completed by the next start, or by another restore', async () => {
    const source = createAdmin();
    await source.createUser('new@example.com');
    const file = join(temporaryFolder(), 'backup.tar');
    await source.json(['backup', file]);
    const isMended = async (admin: Admin) => {
      expect(await admin.json(['user', 'list'])).toMatchObject([{ email: 'new@example.com' }]);
      expect(await admin.json(['check'])).toMatchObject({ ok: true, secrets: 'match' });
      expect(readdirSync(admin.folder)).not.toContain('secrets.json.restored');
    };
    const setUpKilled = async () => {
      const { url, admin } = await setUp();
      await admin.createUser('old@example.com');
      await admin.killAtRename(['restore', file, '--foreign'], join(admin.folder, 'secrets.json'));
      const connections =
        "select 1 from pg_stat_activity where application_name = 'latchkey' and datname = current_database()";
      await expect.poll(() => query(url, connections)).toEqual([]);
      return admin;
    };

    const started = await setUpKilled();
    const server = await startHttpServer(started);
    expect((await server.request('GET', '/readyz')).status).toBe(200);
    await server.stop();
    await isMended(started);

    const restoredAgain = await setUpKilled();
    await restoredAgain.json(['restore', file, '--foreign']);
    await isMended(restoredAgain);
  });

  it('a backup contains everything acknowledged before it, even while users sign up', async () => {
    const { admin } = await setUp();
    const server = await startHttpServer(admin);
    const acknowledged: string[] = [];
    let going = true;
    const user = (async () => {
      for (let number = 0; going; number++) {
        const email = `user-${number}@example.com`;
        const { status } = await server.call('signup', { body: { email, password: 'a fine passphrase' } });
        if (status === 200) acknowledged.push(email);
      }
    })();
    while (acknowledged.length < 5) await new Promise((resolve) => setTimeout(resolve, 10));
    const known = [...acknowledged];
    const file = join(temporaryFolder(), 'b.tar');
    await admin.json(['backup', file]);
    going = false;
    await user;
    const copy = createAdmin();
    await copy.json(['restore', file]);
    expect(await copy.json(['check'])).toMatchObject({ ok: true });
    const emails = (await copy.json<{ email: string }[]>(['user', 'list'])).map(({ email }) => email);
    expect(known.filter((email) => !emails.includes(email))).toEqual([]);
  });

  it('restore requires the server to be stopped, and saves what it replaces as a data folder', async () => {
    const { admin } = await setUp();
    await admin.createUser('before@example.com');
    const file = join(temporaryFolder(), 'b.tar');
    await admin.json(['backup', file]);
    const server = await startHttpServer(admin);
    await admin.createUser('after@example.com');
    expect(await admin.failure(['restore', file])).toMatchObject({ code: 'SERVER_RUNNING' });
    await server.stop();

    const { replaced } = await admin.json<{ replaced: string }>(['restore', file]);
    const emails = async (of: Admin) =>
      (await of.json<{ email: string }[]>(['user', 'list'])).map(({ email }) => email);
    expect(await emails(admin)).toEqual(['before@example.com']);
    expect(await emails(createAdmin({}, replaced))).toEqual(['before@example.com', 'after@example.com']);
  });

  it('restore of a bad file changes nothing', async () => {
    const { admin } = await setUp();
    await admin.createUser('ada@example.com');
    const file = join(temporaryFolder(), 'b.tar');
    await admin.json(['backup', file]);
    const content = readFileSync(file);
    const middle = Math.floor(content.length / 2);
    content.writeUInt8(content.readUInt8(middle) ^ 1, middle);
    writeFileSync(file, content);
    expect(await admin.failure(['restore', file])).toMatchObject({ code: 'BACKUP_DAMAGED' });
    expect(readdirSync(admin.folder)).toEqual(['secrets.json']);
    expect(await admin.json(['user', 'list'])).toHaveLength(1);
  });

  it('an empty database cannot be backed up or checked, and one of another program is left unchanged', async () => {
    const { admin, url } = await setUp();
    const file = join(temporaryFolder(), 'b.tar');
    expect(await admin.failure(['check'])).toMatchObject({ code: 'NOT_FOUND' });
    expect(await admin.failure(['backup', file])).toMatchObject({ code: 'NOT_FOUND' });
    const other = createAdmin();
    await other.json(['plan', 'list']);
    await other.json(['backup', file]);
    await query(url, 'create table users (id text)');
    for (const words of [['check'], ['backup', join(temporaryFolder(), 'c.tar')], ['restore', file]]) {
      expect(await admin.failure(words)).toMatchObject({ code: 'OTHER_DATABASE' });
    }
    expect(await query(url, 'select count(*)::int as rows from users')).toEqual([{ rows: 0 }]);
  });

  it('check reports a database that is read-only', async () => {
    const { admin, url } = await setUp();
    await admin.json(['plan', 'list']);
    await query(url, `alter database "${new URL(url).pathname.slice(1)}" set default_transaction_read_only = on`);
    const { code, stdout } = await admin.runHere(['check', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).problems).toEqual([
      expect.stringMatching(/^nothing can be written to postgres:.+: default_transaction_read_only is on/),
    ]);
  });

  it('check finds secrets of another database', async () => {
    const { admin } = await setUp();
    await admin.json(['plan', 'list']);
    const secret = Buffer.alloc(32, 7).toString('base64url');
    writeFileSync(
      join(admin.folder, 'secrets.json'),
      JSON.stringify({ version: 1, master_key: secret, pepper: secret }),
    );
    const { code, stdout } = await admin.run(['check', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, secrets: 'other' });
  });

  it('two servers on one database never activate too many devices', async () => {
    const { admin } = await setUp();
    const first = await startHttpServer(admin);
    const servers = [first, await startHttpServer(admin)];
    const { body } = await first.call('signup', { body: { email: 'ada@example.com', password: 'a fine passphrase' } });
    const { license_key } = await admin.json<{ license_key: string }>(['license', 'issue', '--max-activations', '5']);
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, number) => {
        const device_id = `HW-00000000-00000000-00000000-${number.toString(16).toUpperCase().padStart(8, '0')}`;
        const server = servers[number % 2] ?? first;
        const token = String(body.access_token);
        return inTime(() => server.call('activateLicense', { body: { license_key, device_id }, token }));
      }),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(responses.filter(({ body: { code } }) => code === 'MAX_ACTIVATIONS_REACHED')).toHaveLength(55);
    expect(await admin.json(['check'])).toMatchObject({ ok: true, rows: { activations: 5 } });
  });
});
