/** A new file lasts: what it holds, and its name in the folder. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFakeClock } from './fake-clock.ts';

const synced = vi.hoisted((): string[] => []);

/** Notes which files and folders are synced. */
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
      fs.fsyncSync(descriptor);
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-whole-file-'));
  synced.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the secrets are on the disk, by name too, before the database relies on them', async () => {
  const { openDatabase } = await import('../../server/database/open-database.ts');
  const { openSecrets } = await import('../../server/secrets.ts');
  const { systemRandom } = await import('../../server/random.ts');
  const database = await openDatabase(join(folder, 'latchkey.db'), createFakeClock());
  synced.length = 0;
  const path = join(folder, 'keys', 'secrets.json');
  await openSecrets(path, database, systemRandom);
  await database.close();
  expect(synced).toEqual([expect.stringContaining(`${path}.`), join(folder, 'keys')]);
});

it('a file that is there is left as it is', async () => {
  const { createWholeFile } = await import('../../server/whole-file.ts');
  const path = join(folder, 'file');
  createWholeFile(path, (beside) => writeFileSync(beside, 'first'));
  createWholeFile(path, (beside) => writeFileSync(beside, 'second'));
  expect(readFileSync(path, 'utf8')).toBe('first');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['file']);
});
