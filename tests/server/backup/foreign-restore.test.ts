/**
 * Restoring a backup of another server makes its owners the owners here: restore names them, and requires an explicit
 * option.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Admin } from '../../harness/admin.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';
import { describeEachDatabase } from '../audit/databases.ts';

const file = () => join(temporaryFolder(), 'backup.tar');

async function backUp(admin: Admin): Promise<string> {
  const path = file();
  await admin.json(['backup', path]);
  return path;
}

/** Returns a backup of another server, owned by mallory. */
async function strangersBackup(prepare = async (_admin: Admin) => {}): Promise<string> {
  const stranger = createAdmin();
  await stranger.json(['staff', 'add', 'mallory@example.net']);
  await stranger.json(['staff', 'add', 'trudy@example.net', '--role', 'support']);
  await prepare(stranger);
  return backUp(stranger);
}

const ownersOf = async (admin: Admin) =>
  (await admin.json<{ email: string; role: string }[]>(['staff', 'list']))
    .filter(({ role }) => role === 'owner')
    .map(({ email }) => email);

describeEachDatabase((database) => {
  describe('restoring', () => {
    it('a stranger’s backup names its owners and changes nothing without --foreign', async () => {
      const admin = await database.createAdmin();
      await admin.json(['staff', 'add', 'ada@example.com']);
      const backup = await strangersBackup();
      const secrets = readFileSync(join(admin.folder, 'secrets.json'));
      const { error, code } = await admin.failure(['restore', backup]);
      expect(code).toBe('FOREIGN_BACKUP');
      expect(error).toContain('mallory@example.net');
      expect(error).toContain('--foreign');
      expect(error).not.toContain('trudy');
      expect(await ownersOf(admin)).toEqual(['ada@example.com']);
      expect(readFileSync(join(admin.folder, 'secrets.json'))).toEqual(secrets);

      expect(await admin.json(['restore', backup, '--foreign'])).toMatchObject({ owners: ['mallory@example.net'] });
      expect(await ownersOf(admin)).toEqual(['mallory@example.net']);
      const [entry] = await admin.json<object[]>(['audit', 'list']);
      expect(entry).toMatchObject({ action: 'backup.restore', details: { foreign: true } });
    });

    it('a backup from before the secrets were rotated needs no option', async () => {
      const admin = await database.createAdmin();
      await admin.json(['staff', 'add', 'ada@example.com']);
      const backup = await backUp(admin);
      await admin.json(['key', 'rotate', '--purpose', 'master']);
      expect(await admin.json(['restore', backup])).toMatchObject({ owners: ['ada@example.com'] });
    });

    it('compares the backup with the existing database if the secrets are lost', async () => {
      const admin = await database.createAdmin();
      await admin.json(['staff', 'add', 'ada@example.com']);
      const own = await backUp(admin);
      const strangers = await strangersBackup();
      rmSync(join(admin.folder, 'secrets.json'));
      expect(await admin.failure(['restore', strangers])).toMatchObject({ code: 'FOREIGN_BACKUP' });
      await admin.json(['restore', own]);
      expect(await ownersOf(admin)).toEqual(['ada@example.com']);
    });

    it('on a new machine needs no option, and shows the owners', async () => {
      const backup = await strangersBackup();
      const admin = await database.createAdmin();
      const { code, stdout } = await admin.runHere(['restore', backup]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^owners +mallory@example\.net$/m);
    });
  });
});

describe('an address written by a stranger', () => {
  it('reaches the terminal only with control characters escaped, and shortened', async () => {
    const backup = await strangersBackup(async (stranger) => {
      for (let number = 0; number < 30; number++) await stranger.json(['staff', 'add', `o${number}@example.net`]);
      const connection = new DatabaseSync(join(stranger.folder, 'latchkey.db'));
      connection.exec("update users set email = 'x' || char(27) || '[2J' || char(8238) where email like 'mallory%'");
      connection.close();
    });
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    for (const words of [[], ['--json']]) {
      const { code, stderr } = await admin.runHere(['restore', backup, ...words]);
      expect(code).toBe(1);
      for (const character of ['\u001b', '\u202e']) expect(stderr).not.toContain(character);
      expect(stderr).toContain('and 21 others');
    }
  });
});

describe('a damaged secrets file', () => {
  it('does not prevent restoring the server’s own backup', async () => {
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    const backup = await backUp(admin);
    writeFileSync(join(admin.folder, 'secrets.json'), 'damaged');
    await admin.json(['restore', backup]);
  });
});
