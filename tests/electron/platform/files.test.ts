/** Hashing reads every byte once, reports progress and can be canceled. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemFiles } from '../../../electron/platform/files.ts';
import { createPipe } from '../pipe.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const { hashFile } = systemFiles;
const mebibyte = 1024 * 1024;
const sizes = [0, 1, 63, 64, 65, mebibyte - 1, mebibyte, mebibyte + 1, 2 * mebibyte, 3 * mebibyte + 17];
const options = { signal: new AbortController().signal, onProgress: () => {} };

describe('hashing a file', () => {
  it.each(sizes)('of %d bytes gives the same hash as node:crypto', async (size) => {
    const path = join(temporaryFolder(), 'file');
    const content = randomBytes(size);
    writeFileSync(path, content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(await hashFile(path, options)).toEqual({ kind: 'hashed', sha256, bytes: size });
  });

  it('reports progress about ten times a second, in order, and at the end', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, Buffer.alloc(64 * mebibyte));
    const reports: [number, number][] = [];
    const before = performance.now();
    await hashFile(path, { ...options, onProgress: (done, total) => reports.push([done, total]) });
    const seconds = (performance.now() - before) / 1000;
    expect(reports.at(-1)).toEqual([64 * mebibyte, 64 * mebibyte]);
    expect(reports.map(([done]) => done)).toEqual(reports.map(([done]) => done).toSorted((one, other) => one - other));
    expect(reports.length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 2);
  });

  it('stops when it is canceled', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, Buffer.alloc(8 * mebibyte));
    const canceling = new AbortController();
    const outcome = await hashFile(path, { signal: canceling.signal, onProgress: () => canceling.abort() });
    expect(outcome).toEqual({ kind: 'canceled' });
  });

  it('reports why a file cannot be read', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'inner'));
    expect(await hashFile(join(folder, 'none'), options)).toEqual({ kind: 'unreadable', message: 'ENOENT' });
    expect(await hashFile(join(folder, 'inner'), options)).toEqual({ kind: 'not-a-file' });
  });

  it.skipIf(process.platform === 'win32')('follows a link to a file', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), 'x');
    symlinkSync(join(folder, 'file'), join(folder, 'link'));
    expect(await hashFile(join(folder, 'link'), options)).toMatchObject({ kind: 'hashed', bytes: 1 });
  });

  it.skipIf(process.platform === 'win32')('never waits for a pipe, so that other files can be read', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, 'x');
    const pipes = Array.from({ length: 4 }, () => hashFile(createPipe(), options));
    expect(await Promise.all([...pipes, readFile(path, 'utf8')])).toEqual([
      ...pipes.map(() => ({ kind: 'not-a-file' })),
      'x',
    ]);
  });
});
