/** Somebody who can write to a folder plants something there at the right moment; it is neither followed nor read. */
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import type * as FileSystem from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { writeAtomically } from '../../../electron/platform/atomic-write.ts';
import { NotRegularFile, readRegularFile } from '../../../electron/platform/read-regular-file.ts';
import { createPipe } from '../pipe.ts';
import { temporaryFolder } from '../temporary-folder.ts';

vi.mock('node:crypto', () => ({ randomBytes: (size: number) => Buffer.alloc(size) }));
vi.mock('node:fs/promises', async (load) => ({ ...(await load<typeof FileSystem>()), stat }));
/** What a path was before it was replaced. */
const stat = vi.hoisted(() => async () => ({ isFile: () => true }));

it.skipIf(process.platform === 'win32')('a link at the temporary path of a write is not followed', async () => {
  const folder = temporaryFolder();
  const target = join(temporaryFolder(), 'target');
  writeFileSync(target, 'before');
  const planted = join(folder, `.${'0'.repeat(16)}.new`);
  symlinkSync(target, planted);
  await expect(writeAtomically(join(folder, 'file'), 'secret')).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(target, 'utf8')).toBe('before');
  expect(readdirSync(folder)).toEqual([`.${'0'.repeat(16)}.new`]);
});

it.skipIf(process.platform === 'win32')(
  'a device or pipe that has replaced a file since it was checked is not read',
  async () => {
    await expect(readRegularFile('/dev/zero', 4)).rejects.toThrow(NotRegularFile);
    await expect(readRegularFile(createPipe(), 4)).rejects.toThrow(NotRegularFile);
  },
);
