/** `scan -` keeps standard input in its own file, only as long as needed. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepInput } from '../../../electron/cli/command-files.ts';
import { temporaryFolder } from '../temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => vi.unstubAllEnvs());

it('keeps the input where only its owner can read it, until it is discarded', async () => {
  const input = new PassThrough();
  input.end('some text');
  const kept = await keepInput(input, new AbortController().signal);
  expect(readFileSync(kept.path, 'utf8')).toBe('some text');
  expect(statSync(kept.path).mode & 0o777).toBe(0o600);
  await kept.discard();
  expect(readdirSync(folder)).toEqual([]);
});

it('leaves nothing behind when it is interrupted before the input has ended', async () => {
  const interrupted = new AbortController();
  const input = new PassThrough();
  const keeping = keepInput(input, interrupted.signal);
  input.write('some text');
  await expect.poll(() => readdirSync(folder)).toHaveLength(1);
  interrupted.abort();
  await expect(keeping).rejects.toThrow('aborted');
  expect(readdirSync(folder)).toEqual([]);
});

it('leaves nothing behind when the input fails', async () => {
  const input = new PassThrough();
  const keeping = keepInput(input, new AbortController().signal);
  input.destroy(new Error('EIO'));
  await expect(keeping).rejects.toThrow('EIO');
  expect(readdirSync(folder)).toEqual([]);
});
