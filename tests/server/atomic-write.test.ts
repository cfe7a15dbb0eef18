/** A new file survives a power failure: both its content and its directory entry. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFakeClock } from '../harness/fake-clock.ts';

const synced = vi.hoisted((): string[] => []);
/** The error with which syncing a folder fails. */
const failing = vi.hoisted((): { folders?: string } => ({}));

/** Records which files and folders are synced. */
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  const opened = new Map<number, string>();
  return {
    ...fs,
    openSync: (path: string, ...rest: [string, number?]) => {
      const descriptor = fs.openSync(path, ...rest);
      opened.set(descriptor, path);
      return descriptor;
    },
    fsyncSync: (descriptor: number) => {
      synced.push(opened.get(descriptor) ?? 'unknown');
      if (failing.folders && fs.fstatSync(descriptor).isDirectory()) {
        throw Object.assign(new Error(failing.folders), { code: failing.folders });
      }
      fs.fsyncSync(descriptor);
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-atomic-write-'));
  synced.length = 0;
  delete failing.folders;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the secrets file and its folder are synced before the database relies on them', async () => {
  const { openSqlite } = await import('../../server/database/sqlite-database.ts');
  const { openSecrets } = await import('../../server/secrets/secrets.ts');
  const { systemRandom } = await import('../../server/system-random.ts');
  const database = await openSqlite(join(folder, 'latchkey.db'), createFakeClock());
  synced.length = 0;
  const path = join(folder, 'keys', 'secrets.json');
  await openSecrets(path, database, systemRandom);
  await database.close();
  expect(synced).toEqual([expect.stringContaining(`${path}.`), join(folder, 'keys')]);
});

it('an existing file is not overwritten', async () => {
  const { createFileAtomically } = await import('../../server/atomic-write.ts');
  const path = join(folder, 'file');
  createFileAtomically(path, (temporaryPath) => writeFileSync(temporaryPath, 'first'));
  createFileAtomically(path, (temporaryPath) => writeFileSync(temporaryPath, 'second'));
  expect(readFileSync(path, 'utf8')).toBe('first');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['file']);
});

it('a file is kept on a file system that cannot sync folders, and refused if syncing its folder fails', async () => {
  const { createFileAtomically } = await import('../../server/atomic-write.ts');
  const create = (name: string) =>
    createFileAtomically(join(folder, name), (temporaryPath) => writeFileSync(temporaryPath, name));
  failing.folders = 'EINVAL';
  create('kept');
  expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe('kept');
  failing.folders = 'EIO';
  expect(() => create('refused')).toThrow('EIO');
});
