/** Files of the profile are read up to a maximum length, and nothing at their paths can block. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NotRegularFile, readRegularFile } from '../../../electron/platform/read-regular-file.ts';
import { createPipe } from '../pipe.ts';
import { temporaryFolder } from '../temporary-folder.ts';

it.each([
  ['', ''],
  ['abc', 'abc'],
  ['abcd', 'abcd'],
  ['abcde', 'abcd'],
])('%j is read as %j with a limit of four bytes', async (content, read) => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, content);
  expect(String(await readRegularFile(path, 4))).toBe(read);
});

it('reads a file of several chunks completely', async () => {
  const path = join(temporaryFolder(), 'file');
  const content = Buffer.alloc(300_000, 'abc');
  writeFileSync(path, content);
  expect((await readRegularFile(path, 1_000_000)).equals(content)).toBe(true);
});

it('a missing file is reported as by node:fs', async () => {
  await expect(readRegularFile(join(temporaryFolder(), 'file'), 4)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a folder is rejected', async () => {
  await expect(readRegularFile(temporaryFolder(), 4)).rejects.toThrow(NotRegularFile);
});

it.skipIf(process.platform === 'win32')('a device is rejected, and so is a pipe that nobody writes to', async () => {
  await expect(readRegularFile('/dev/zero', 4)).rejects.toThrow(NotRegularFile);
  await expect(readRegularFile(createPipe(), 4)).rejects.toThrow(NotRegularFile);
});
