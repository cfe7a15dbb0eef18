/** Secrets survive a crash, are encrypted on disk, and are never overwritten if they cannot be read. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { PlainStore } from '../../../electron/licensing/platform.ts';
import type { Encryption } from '../../../electron/platform/encryption.ts';
import { FileSecretStore, type FileSecretStoreDeps } from '../../../electron/platform/secret-store.ts';
import { createPipe } from '../pipe.ts';
import { temporaryFolder } from '../temporary-folder.ts';

vi.mock('electron', () => ({ safeStorage: {} }));
const { KeyFileEncryption } = await import('../../../electron/platform/encryption.ts');

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5);

function plainStore(): PlainStore {
  const values = new Map<string, string>();
  return {
    read: async (name) => {
      const value = values.get(name);
      return value === undefined ? { kind: 'absent' } : { kind: 'value', value };
    },
    write: async (name, value) => void values.set(name, value),
    setAside: async (name) => void values.delete(name),
  };
}

/** A keyring that encrypts by reversing the text. */
const keyring: Encryption = {
  kind: 'keyring',
  encrypt: async (text) => Buffer.from([...text].reverse().join('')),
  decrypt: async (encrypted) => [...Buffer.from(encrypted).toString()].reverse().join(''),
};

function open(folder: string, deps: Partial<FileSecretStoreDeps> = {}) {
  const keyFile = new KeyFileEncryption({ folder, now });
  return FileSecretStore.open({
    folder,
    plain: plainStore(),
    keyring: null,
    keyFile,
    withoutKeyring: 'file',
    now,
    ...deps,
  });
}

describe('the secret store', () => {
  it('reads what was written, also after a restart', async () => {
    const folder = temporaryFolder();
    const store = await open(folder);
    expect(await store.read('session')).toEqual({ kind: 'absent' });
    await store.write('session', 'first');
    await store.write('session', 'second – ü 鍵');
    expect(await (await open(folder)).read('session')).toEqual({ kind: 'value', value: 'second – ü 鍵' });
    await store.remove('session');
    await store.remove('session');
    expect(await (await open(folder)).read('session')).toEqual({ kind: 'absent' });
  });

  it.skipIf(process.platform === 'win32')('makes its files readable only by their owner', async () => {
    const folder = join(temporaryFolder(), 'secrets');
    const store = await open(folder);
    await store.write('session', 'v1.secret');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])).toEqual([
      ['key', 0o600],
      ['session.json', 0o600],
    ]);
  });

  it('writes nothing that can be read without the key', async () => {
    const folder = temporaryFolder();
    const store = await open(folder);
    await store.write('session', 'v1.very-secret');
    const content = readFileSync(join(folder, 'session.json'), 'utf8');
    expect(content).not.toContain('very-secret');
    expect(content).not.toContain(Buffer.from('v1.very-secret').toString('base64').slice(2, 14));
  });

  it('ignores the remains of an interrupted write, and reads the old value', async () => {
    const folder = temporaryFolder();
    await (await open(folder)).write('session', 'old');
    writeFileSync(join(folder, '.0123456789abcdef.new'), '{"half');
    const store = await open(folder);
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
    expect(await store.read('session')).toEqual({ kind: 'value', value: 'old' });
    await store.write('session', 'new');
    expect(await store.read('session')).toEqual({ kind: 'value', value: 'new' });
  });

  it.each([
    ['an empty file', ''],
    ['half a file', '{"version":1,"seal":"file","da'],
    ['zeroes', '\0\0\0\0\0\0'],
    ['another version', '{"version":2,"seal":"file","data":""}'],
    ['changed bytes', `{"version":1,"seal":"file","data":"${Buffer.alloc(40).toString('base64')}"}`],
  ])('reports %s as unreadable, not absent, and quarantines it before it writes', async (_what, content) => {
    const folder = temporaryFolder();
    const path = join(folder, 'session.json');
    await (await open(folder)).write('other', 'x');
    writeFileSync(path, content);
    const store = await open(folder);
    expect(await store.read('session')).toMatchObject({ kind: 'unreadable' });
    expect(readFileSync(path, 'utf8')).toBe(content);
    await store.write('session', 'new');
    expect(await store.read('session')).toEqual({ kind: 'value', value: 'new' });
    expect(readFileSync(`${path}.unreadable-2026-01-02T03-04-05-000Z`, 'utf8')).toBe(content);
  });

  it.skipIf(process.platform === 'win32')('does not wait for a pipe in place of a file, and replaces it', async () => {
    for (const name of ['session.json', 'key']) {
      const folder = temporaryFolder();
      await (await open(folder)).write('session', 'old');
      rmSync(join(folder, name));
      createPipe(join(folder, name));
      const store = await open(folder);
      expect(await store.read('session')).toMatchObject({ kind: 'unreadable' });
      await store.write('session', 'new');
      expect(await store.read('session')).toEqual({ kind: 'value', value: 'new' });
    }
  });

  it('lists what cannot be read now, and what was set aside', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'session.json'), '{"half');
    const store = await open(folder);
    expect(await store.unreadable()).toEqual([]);
    await store.read('session');
    expect(await store.unreadable()).toEqual(['session.json']);
    await store.write('session', 'new');
    expect(await store.unreadable()).toEqual(['session.json.unreadable-2026-01-02T03-04-05-000Z']);
  });

  it('replaces a key file that is a folder, and keeps that folder', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'key'));
    const store = await open(folder);
    await store.write('session', 'new');
    expect(await store.read('session')).toEqual({ kind: 'value', value: 'new' });
    expect(existsSync(join(folder, 'key.unreadable-2026-01-02T03-04-05-000Z'))).toBe(true);
  });

  it('keeps a value that is set aside beside its name, still encrypted, and frees the name', async () => {
    const folder = temporaryFolder();
    const store = await open(folder);
    await store.setAside('session');
    await store.write('session', 'of a newer version');
    const content = readFileSync(join(folder, 'session.json'), 'utf8');
    await store.setAside('session');
    expect(await store.read('session')).toEqual({ kind: 'absent' });
    expect(readFileSync(join(folder, 'session.json.unreadable-2026-01-02T03-04-05-000Z'), 'utf8')).toBe(content);
  });

  it('detects that the key file was changed or damaged', async () => {
    const folder = temporaryFolder();
    await (await open(folder)).write('session', 'old');
    writeFileSync(join(folder, 'key'), Buffer.alloc(32, 7));
    const store = await open(folder);
    expect(await store.read('session')).toMatchObject({ kind: 'unreadable' });
    writeFileSync(join(folder, 'key'), 'short');
    await store.write('session', 'new');
    expect(await store.read('session')).toEqual({ kind: 'value', value: 'new' });
    expect(readdirSync(folder).filter((name) => name.includes('.unreadable-'))).toHaveLength(2);
  });

  it('keeps what the keyring encrypted while the keyring is unavailable', async () => {
    const folder = temporaryFolder();
    const first = await open(folder, { keyring });
    expect(first.storage()).toBe('keyring');
    await first.write('session', 'from the keyring');
    expect(await (await open(folder)).read('session')).toMatchObject({ kind: 'unreadable' });
    const available = await open(folder, { keyring });
    expect(await available.read('session')).toEqual({ kind: 'value', value: 'from the keyring' });
  });

  it('writes in the order of the calls, even if they are not awaited', async () => {
    const folder = temporaryFolder();
    const store = await open(folder);
    const writes = Array.from({ length: 20 }, (_, number) => store.write('session', `${number}`));
    await Promise.all(writes);
    expect(await store.read('session')).toEqual({ kind: 'value', value: '19' });
  });

  it('rejects if a file cannot be written, and works afterwards', async () => {
    const folder = temporaryFolder();
    const store = await open(folder);
    rmSync(folder, { recursive: true });
    await expect(store.write('blocked', 'x')).rejects.toThrow();
    mkdirSync(folder);
    await store.write('session', 'y');
    expect(await store.read('session')).toEqual({ kind: 'value', value: 'y' });
  });
});

describe('a machine without a keyring', () => {
  it('keeps secrets in memory until the user has chosen', async () => {
    const folder = temporaryFolder();
    const store = await open(folder, { withoutKeyring: 'ask' });
    expect(store.storage()).toBe('ask');
    await store.write('session', 'x');
    expect(await store.read('session')).toEqual({ kind: 'value', value: 'x' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('writes them to disk if the user chooses to stay signed in, and does not ask again', async () => {
    const folder = temporaryFolder();
    const plain = plainStore();
    const store = await open(folder, { withoutKeyring: 'ask', plain });
    await store.write('session', 'x');
    await store.choose(true);
    expect(store.storage()).toBe('file');
    const later = await open(folder, { withoutKeyring: 'ask', plain });
    expect(later.storage()).toBe('file');
    expect(await later.read('session')).toEqual({ kind: 'value', value: 'x' });
  });

  it('reads the latest value even if the disk was full when the user chose to stay signed in', async () => {
    const folder = temporaryFolder();
    const keyFile = new KeyFileEncryption({ folder, now });
    let isFull = true;
    const encrypt = (text: string) => (isFull ? Promise.reject(new Error('ENOSPC')) : keyFile.encrypt(text));
    const decrypt = (encrypted: Uint8Array) => keyFile.decrypt(encrypted);
    const store = await open(folder, { withoutKeyring: 'ask', keyFile: { kind: 'file', encrypt, decrypt } });
    await store.write('session', 'before');
    await expect(store.choose(true)).rejects.toThrow('ENOSPC');
    expect(await store.read('session')).toEqual({ kind: 'value', value: 'before' });
    isFull = false;
    await store.write('session', 'after');
    expect(await store.read('session')).toEqual({ kind: 'value', value: 'after' });
  });

  it('keeps them only in memory if the user chooses that, and removes the files', async () => {
    const folder = temporaryFolder();
    const plain = plainStore();
    const store = await open(folder, { plain });
    await store.write('session', 'x');
    await store.choose(false);
    expect(store.storage()).toBe('memory');
    expect(await store.read('session')).toEqual({ kind: 'value', value: 'x' });
    expect(existsSync(join(folder, 'session.json'))).toBe(false);
    const later = await open(folder, { plain });
    expect(later.storage()).toBe('memory');
    expect(await later.read('session')).toEqual({ kind: 'absent' });
  });
});
