/** `import accounts`: users of another system sign in with their existing password. */
import { hash as argon2 } from '@node-rs/argon2';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import type { Admin } from '../../harness/admin.ts';
import { type HttpServer, startHttpServer } from '../../harness/http-server.ts';
import { envelope, sentence } from '../../harness/response-shapes.ts';
import { describeEachDatabase, listEntries, withServices } from '../audit/databases.ts';
import { importLines } from './import-files.ts';

const password = 'correct horse battery';

function signIn(server: HttpServer, email: string, typed = password) {
  return server.call('login', { body: { email, password: typed } });
}

/** Returns the stored hash of the account. */
function hashOf(admin: Admin, email: string): Promise<string | undefined> {
  return withServices(admin, async (_, { database }) => {
    const users = database.read.selectFrom('users').select('password_hash').where('email', '=', email);
    return (await users.executeTakeFirst())?.password_hash;
  });
}

describeEachDatabase((database) => {
  describe('imported accounts', () => {
    it('sign in with the password of a bcrypt or argon2id hash, which is then replaced by our own', async () => {
      const admin = await database.createAdmin();
      const server = await startHttpServer(admin);
      const weak = await argon2(password, { memoryCost: 4096, timeCost: 3, parallelism: 1 });
      // The versions $2b and $2y are computed in the same way.
      const [b, y] = [await bcrypt(password, 5), (await bcrypt(password, 4)).replace(/^\$2b/, '$2y')];
      const lines = ['email,full_name,password_hash', `ada@lab.org,"Lovelace, Ada",${b}`];
      lines.push(`"bob@lab.org",,"${weak}"`, `Cyd@Lab.org,Cyd Ω,${y}`);
      expect(await importLines(admin, 'accounts', lines)).toEqual({ rows: 3, imported: 3, refused: [] });
      for (const email of ['ada@lab.org', 'bob@lab.org', 'Cyd@Lab.org']) {
        expect((await signIn(server, email, 'another password')).body).toEqual(envelope('INVALID_CREDENTIALS'));
        const { body, status } = await signIn(server, email);
        expect(status, email).toBe(200);
        expect(body.user).toMatchObject({ email });
        expect(await hashOf(admin, email)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
        expect((await signIn(server, email)).status).toBe(200);
      }
      expect(await admin.json(['user', 'show', 'ada@lab.org'])).toMatchObject({ full_name: 'Lovelace, Ada' });
    });

    it('without a hash cannot sign in until they get a password', async () => {
      const admin = await database.createAdmin();
      const server = await startHttpServer(admin);
      await importLines(admin, 'accounts', ['email,password_hash', 'ada@lab.org,']);
      for (const typed of ['', password]) {
        const { body } = await signIn(server, 'ada@lab.org', typed);
        expect(body).toEqual(envelope('INVALID_CREDENTIALS'));
      }
      await admin.json(['user', 'password', 'ada@lab.org', '--password-stdin'], password);
      expect((await signIn(server, 'ada@lab.org')).status).toBe(200);
    });

    it('are imported once, and a refused row stops no other row', async () => {
      const admin = await database.createAdmin();
      await admin.createUser('here@lab.org');
      const lines = [
        'email,full_name,password_hash',
        'ada@lab.org,Ada,',
        'no address,,',
        'HERE@lab.org,,',
        'bob@lab.org,,md5',
      ];
      lines.push('ADA@LAB.ORG,Ada again,', `cyd@lab.org,${'x'.repeat(201)},`, 'dan@lab.org', '', 'eve@lab.org,Eve,');
      const refused = [2, 3, 4, 5, 6, 7].map((row) => ({ row, reason: sentence }));
      const report = { rows: 8, imported: 2, refused };
      const dry = await importLines(admin, 'accounts', lines, '--dry-run');
      expect(dry).toEqual(report);
      expect(await admin.json(['user', 'list'])).toHaveLength(1);
      expect(await importLines(admin, 'accounts', lines)).toEqual(dry);
      const again = await importLines(admin, 'accounts', lines);
      expect(again).toMatchObject({ rows: 8, imported: 0 });
      expect(again.refused.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      const users = await admin.json<{ email: string }[]>(['user', 'list']);
      expect(users.map(({ email }) => email).sort()).toEqual(['ada@lab.org', 'eve@lab.org', 'here@lab.org']);
    });

    it('are recorded in the audit log, one batch at a time', async () => {
      const admin = await database.createAdmin();
      const lines = ['email', ...Array.from({ length: 1100 }, (_, index) => `user-${index}@lab.org`), 'user-3@lab.org'];
      expect(await importLines(admin, 'accounts', lines, '--dry-run')).toMatchObject({ rows: 1101, imported: 1100 });
      expect(await importLines(admin, 'accounts', lines)).toMatchObject({ rows: 1101, imported: 1100 });
      const entries = (await listEntries(admin)).filter(({ action }) => action === 'import.run');
      expect(entries.map(({ actor, target, details }) => ({ actor, target, details }))).toEqual(
        [
          [1, 500, 500],
          [501, 1000, 500],
          [1001, 1101, 100],
        ].map(([first_row, last_row, imported]) => ({
          actor: 'admin command',
          target: 'database accounts',
          details: { file: 'import.csv', first_row, last_row, imported },
        })),
      );
    });
  });
});
