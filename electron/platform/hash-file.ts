/** SHA-256 of a file of any size: one buffer is hashed while the other is being read. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import type { FileHashOutcome, Files } from '../licensing/platform.ts';

const bufferBytes = 1024 * 1024;
const progressEveryMs = 100;

type HashOptions = Parameters<Files['hashFile']>[1];

/** Hashes the file; whatever refuses to be read is an outcome, not a rejection. */
export async function hashFile(path: string, options: HashOptions): Promise<FileHashOutcome> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const { size } = await file.stat();
    return await hashOpenFile(file, size, options);
  } catch (error) {
    return {
      kind: 'unreadable',
      message: error instanceof Error && 'code' in error ? String(error.code) : 'unreadable',
    };
  } finally {
    await file?.close();
  }
}

async function hashOpenFile(file: FileHandle, totalBytes: number, options: HashOptions): Promise<FileHashOutcome> {
  const hash = createHash('sha256');
  const tell = atMostEvery(progressEveryMs, options.onProgress);
  let current = Buffer.allocUnsafe(bufferBytes);
  let next = Buffer.allocUnsafe(bufferBytes);
  let doneBytes = 0;
  let reading = file.read(current, 0, bufferBytes, 0);
  for (;;) {
    const { bytesRead } = await reading;
    if (options.signal.aborted) return { kind: 'canceled' };
    if (bytesRead === 0) break;
    const filled = current.subarray(0, bytesRead);
    doneBytes += bytesRead;
    reading = file.read(next, 0, bufferBytes, doneBytes);
    hash.update(filled);
    tell(doneBytes, Math.max(totalBytes, doneBytes));
    [current, next] = [next, current];
  }
  options.onProgress(doneBytes, doneBytes);
  return { kind: 'hashed', sha256: hash.digest('hex'), bytes: doneBytes };
}

function atMostEvery(intervalMs: number, tell: HashOptions['onProgress']): HashOptions['onProgress'] {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (doneBytes, totalBytes) => {
    const now = performance.now();
    if (now - lastAt < intervalMs) return;
    lastAt = now;
    tell(doneBytes, totalBytes);
  };
}
