/** Commands that root runs, such as with sudo, in the data folder of a server that runs as another user. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asCaller } from '../../../server/act-as-owner.ts';
import { giveToOwnerOf, moveToNewFile, replaceFile } from '../../../server/atomic-write.ts';
import { removeAbandonedWork, withWorkFolder } from '../../../server/backup/work-folder.ts';
import type { Admin } from '../../harness/admin.ts';
import { childEnvironment, repository, serverProgram } from '../../harness/environment.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';

/** The user `nobody`, whose number every system has; any other user would do. */
const serverUser = 65534;

/** Only root can give files to another user. */
const isRoot = process.getuid?.() === 0;

function createServerFolder(): string {
  const folder = temporaryFolder();
  chownSync(folder, serverUser, serverUser);
  return folder;
}

/** Runs a command as the server's user, and returns what it prints as its error. */
function runAsServerUser({ settings }: Admin, words: readonly string[]): string {
  const command = [join(repository, serverProgram('admin')), ...words];
  const options = { env: childEnvironment(settings), uid: serverUser, gid: serverUser } as const;
  return spawnSync(process.execPath, command, { ...options, encoding: 'utf8' }).stderr;
}

/** Returns the files and folders of the data folder that the server's user could not read. */
function listUnreadable({ folder }: Admin): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => lstatSync(join(folder, name)).uid !== serverUser);
}

describe.skipIf(!isRoot)('what root creates in the data folder of a server that runs as another user', () => {
  it('belongs to that user: a first database with its secrets, and the files of app updates', async () => {
    const admin = createAdmin({}, createServerFolder());
    await admin.createUser('ada@example.com');
    const installer = join(temporaryFolder(), 'App-1.0.0.exe');
    writeFileSync(installer, 'an installer');
    await admin.json(['installer', 'publish', '1.0.0', '--feed', '--windows-x64', installer]);
    expect(readdirSync(join(admin.folder, 'updates'))).toHaveLength(1);
    expect(listUnreadable(admin)).toEqual([]);
  });

  it('belongs to that user: a restored database, its secrets, what they replace and the remembered end of the audit log', async () => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    await source.json(['audit', 'accept']);
    const backup = join(temporaryFolder(), 'backup.tar');
    await source.json(['backup', backup]);
    expect(lstatSync(backup).uid).toBe(0);
    const admin = createAdmin({}, createServerFolder());
    for (const _ of ['new', 'replaced']) {
      await admin.json(['restore', backup]);
      expect(readdirSync(admin.folder)).toEqual(expect.arrayContaining(['audit-head.json', 'latchkey.db']));
      expect(listUnreadable(admin)).toEqual([]);
    }
  });

  it('belongs to that user: a database that was moved there', async () => {
    const source = createAdmin();
    await source.createUser('ada@example.com');
    const admin = createAdmin({}, createServerFolder());
    await source.json(['move-to', `sqlite:${admin.folder}`]);
    expect(readdirSync(admin.folder)).toEqual(expect.arrayContaining(['latchkey.db', 'secrets.json']));
    expect(listUnreadable(admin)).toEqual([]);
  });

  it('is never written through a link that the user has put where a command creates a temporary file', async () => {
    const admin = createAdmin({}, createServerFolder());
    await admin.createUser('ada@example.com');
    const backup = join(temporaryFolder(), 'backup.tar');
    await admin.json(['backup', backup]);
    const ofRoot = join(temporaryFolder(), 'of-root');
    writeFileSync(ofRoot, 'a secret of root');
    const commands = {
      'secrets.json': ['key', 'rotate', '--purpose', 'master'],
      'secrets.json.restored': ['restore', backup],
    };
    for (const [name, command] of Object.entries(commands)) {
      symlinkSync(ofRoot, join(admin.folder, `${name}.new`));
      await admin.json(command);
      expect(readFileSync(ofRoot, 'utf8'), name).toBe('a secret of root');
      expect(lstatSync(ofRoot).uid, name).toBe(0);
      expect(lstatSync(join(admin.folder, 'secrets.json')).isFile(), name).toBe(true);
    }
  });

  it('is not created through a link in what looks like an abandoned folder of another command', async () => {
    const admin = createAdmin({}, createServerFolder());
    await admin.createUser('ada@example.com');
    const work = join(admin.folder, '.work.abandoned');
    mkdirSync(work);
    writeFileSync(join(work, 'locked'), '');
    const chosen = join(temporaryFolder(), 'chosen-by-the-user');
    symlinkSync(chosen, join(work, 'lock'));
    chownSync(work, serverUser, serverUser);
    await admin.json(['backup', join(temporaryFolder(), 'backup.tar')]);
    expect(existsSync(chosen)).toBe(false);
  });

  it('never makes root write or remove files of another folder that the user has linked to', async () => {
    const admin = createAdmin({}, createServerFolder());
    const installer = join(temporaryFolder(), 'App-1.0.0.exe');
    writeFileSync(installer, 'an installer');
    const publish = (version: string) => ['installer', 'publish', version, '--feed', '--windows-x64', installer];
    await admin.json(publish('1.0.0'));
    // Container images, for example, are stored under such names.
    const ofRoot = join(temporaryFolder(), 'a'.repeat(64));
    writeFileSync(ofRoot, 'a file of root');
    const updates = join(admin.folder, 'updates');
    renameSync(updates, join(admin.folder, 'updates-before'));
    symlinkSync(dirname(ofRoot), updates);
    await admin.json(['installer', 'withdraw', '1.0.0']);
    expect(await admin.failure(publish('2.0.0'))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(readdirSync(dirname(ofRoot))).toEqual([basename(ofRoot)]);
  });

  it('is not moved into place, and changes no mode, if it was replaced with a link to a file of root', () => {
    const folder = createServerFolder();
    const ofRoot = join(temporaryFolder(), 'of-root');
    writeFileSync(ofRoot, 'everyone reads this', { mode: 0o644 });
    for (const move of [replaceFile, moveToNewFile]) {
      const link = join(folder, move.name);
      symlinkSync(ofRoot, link);
      expect(() => move(link, join(folder, 'moved'))).toThrow('ELOOP');
      expect(lstatSync(ofRoot).mode & 0o777).toBe(0o644);
    }
  });

  it('does not belong to that user if it was replaced with a link to a file of root', () => {
    const folder = createServerFolder();
    const links = { symbolic: symlinkSync, hard: linkSync };
    for (const [name, link] of Object.entries(links)) {
      const ofRoot = join(temporaryFolder(), 'of-root');
      writeFileSync(ofRoot, 'a secret of root');
      link(ofRoot, join(folder, name));
      giveToOwnerOf(folder, join(folder, name));
      expect(lstatSync(ofRoot).uid, name).toBe(0);
    }
  });
});

describe.skipIf(!isRoot)('a backup and a restore by root in the data folder of another user', () => {
  it('read and write only what that user could, who can exchange their work folder at any moment', async () => {
    const folder = createServerFolder();
    const ofRoot = join(temporaryFolder(), 'of-root');
    writeFileSync(ofRoot, 'a secret of root', { mode: 0o600 });
    await withWorkFolder(folder, async (work) => {
      symlinkSync(ofRoot, join(work, 'exchanged'));
      expect(() => readFileSync(join(work, 'exchanged'))).toThrow('EACCES');
      await expect(writeFile(join(work, 'exchanged'), '')).rejects.toThrow('EACCES');
      expect(asCaller(() => readFileSync(ofRoot, 'utf8'))).toBe('a secret of root');
      expect(await asCaller(() => readFile(ofRoot, 'utf8'))).toBe('a secret of root');
      expect(() => readFileSync(ofRoot)).toThrow('EACCES');
    });
    await expect(withWorkFolder(folder, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(readFileSync(ofRoot, 'utf8')).toBe('a secret of root');
    expect(process.getgroups?.()).toContain(0);
  });

  it('reach files that only root can, such as the backup that the admin names', async () => {
    const admin = createAdmin({}, createServerFolder());
    await admin.createUser('ada@example.com');
    const backup = join(temporaryFolder(), 'backup.tar');
    await admin.json(['backup', backup]);
    await admin.json(['backup', backup, '--force']);
    const { uid, mode } = lstatSync(backup);
    expect([uid, mode & 0o777]).toEqual([0, 0o600]);
    expect(await admin.json(['restore', backup])).toMatchObject({ file: backup });
    expect(await admin.json(['check'])).toMatchObject({ ok: true });
    expect(listUnreadable(admin)).toEqual([]);
  });

  it('remove what killed ones have left there', async () => {
    const folder = createServerFolder();
    const left = join(folder, '.work.killed');
    mkdirSync(left);
    chownSync(left, serverUser, serverUser);
    utimesSync(left, 0, 0);
    removeAbandonedWork(folder);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keep the rights of root if the server runs as root there, whose files those of the folder are', async () => {
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    chownSync(admin.folder, serverUser, serverUser);
    const backup = join(temporaryFolder(), 'backup.tar');
    await admin.json(['backup', backup]);
    await admin.json(['restore', backup]);
    expect(await admin.json(['check'])).toMatchObject({ ok: true });
  });

  it('use a secrets file that root keeps elsewhere', async () => {
    const secrets = join(temporaryFolder(), 'secrets.json');
    const admin = createAdmin({ LATCHKEY_SECRETS_FILE: secrets }, createServerFolder());
    await admin.createUser('ada@example.com');
    const backup = join(temporaryFolder(), 'backup.tar');
    await admin.json(['backup', backup]);
    await admin.json(['restore', backup]);
    expect(await admin.json(['check'])).toMatchObject({ ok: true });
    expect(lstatSync(secrets).uid).toBe(0);
  });

  it('name a secrets file whose folder is missing', async () => {
    const admin = createAdmin({}, createServerFolder());
    await admin.createUser('ada@example.com');
    const missing = join(temporaryFolder(), 'missing', 'secrets.json');
    const moved = createAdmin({ LATCHKEY_SECRETS_FILE: missing }, admin.folder);
    const { stderr } = await moved.run(['backup', join(temporaryFolder(), 'backup.tar')]);
    expect(stderr).toContain(`There is nothing to back up: ${missing} is missing.`);
  });
});

describe.skipIf(!isRoot)('a command of a user who may not use the data folder', () => {
  it.each([
    { words: ['check'], mode: 0o700 },
    { words: ['backup', join(tmpdir(), 'never-written.tar')], mode: 0o700 },
    { words: ['check'], mode: 0o755 },
    { words: ['user', 'list'], mode: 0o755 },
  ])('says whose rights it needs: $words.0, mode $mode', async ({ words, mode }) => {
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    chmodSync(admin.folder, mode);
    const stderr = runAsServerUser(admin, words);
    expect(stderr).toMatch(
      /^LATCHKEY_DATA is wrong: .+ cannot be used \(EACCES: permission denied, .+\): run this as the user who owns it\n$/,
    );
  });

  it('does not say that LATCHKEY_DATA is wrong if it is another folder that the user may not use', async () => {
    const admin = createAdmin({}, createServerFolder());
    await admin.createUser('ada@example.com');
    const target = temporaryFolder();
    chmodSync(target, 0o700);
    const stderr = runAsServerUser(admin, ['move-to', `sqlite:${target}`]);
    expect(stderr).toMatch(/EACCES/);
    expect(stderr).toContain(target);
    expect(stderr).not.toContain('LATCHKEY_DATA');
  });
});
