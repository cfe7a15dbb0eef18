/** Hashing reads every byte once, tells progress, and can be stopped. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashFile } from '../../../electron/platform/hash-file.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const mebibyte = 1024 * 1024;
const sizes = [0, 1, 63, 64, 65, mebibyte - 1, mebibyte, mebibyte + 1, 2 * mebibyte, 3 * mebibyte + 17];
const quiet = { signal: new AbortController().signal, onProgress: () => {} };

describe('hashing a file', () => {
  it.each(sizes)('of %d bytes gives what node:crypto gives', async (size) => {
    const path = join(temporaryFolder(), 'file');
    const content = randomBytes(size);
    writeFileSync(path, content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(await hashFile(path, quiet)).toEqual({ kind: 'hashed', sha256, bytes: size });
  });

  it('tells how far it is, ends at the whole, and speaks at most some ten times a second', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, Buffer.alloc(64 * mebibyte));
    const told: [number, number][] = [];
    const before = performance.now();
    await hashFile(path, { ...quiet, onProgress: (done, total) => told.push([done, total]) });
    const seconds = (performance.now() - before) / 1000;
    expect(told.at(-1)).toEqual([64 * mebibyte, 64 * mebibyte]);
    expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).toSorted((one, other) => one - other));
    expect(told.length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 2);
  });

  it('stops when it is canceled', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, Buffer.alloc(8 * mebibyte));
    const canceling = new AbortController();
    const outcome = await hashFile(path, { signal: canceling.signal, onProgress: () => canceling.abort() });
    expect(outcome).toEqual({ kind: 'canceled' });
  });

  it('says that a file is not there, or is a folder', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'inner'));
    expect(await hashFile(join(folder, 'none'), quiet)).toEqual({ kind: 'unreadable', message: 'ENOENT' });
    expect(await hashFile(join(folder, 'inner'), quiet)).toEqual({ kind: 'unreadable', message: 'EISDIR' });
  });
});
