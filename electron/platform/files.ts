/** Hashes installer files, and finds the installer of this installation. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, open, stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import type { FileHashOutcome, Files } from '../licensing/platform.ts';
import { readFile, walk } from './walk-files.ts';

export const systemFiles: Files = { hashFile, findOwnInstaller, walk, readFile };

/** Small enough that hashing one buffer blocks the event loop for less than 2 ms, even without SHA instructions. */
const bufferBytes = 256 * 1024;
const progressIntervalMs = 100;

type HashOptions = Parameters<Files['hashFile']>[1];

/** Opening a pipe without a writer would block one of Node's few threads, and so keep other files from being read. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Computes the SHA-256 of a regular file of any size. Never rejects: an unreadable file is an outcome. */
async function hashFile(path: string, options: HashOptions): Promise<FileHashOutcome> {
  let file: FileHandle | undefined;
  try {
    // Checked before opening, because opening alone affects some devices, and after, because the path may have changed.
    if (!(await stat(path)).isFile()) return { kind: 'not-a-file' };
    file = await open(path, openFlags);
    const opened = await file.stat();
    if (!opened.isFile()) return { kind: 'not-a-file' };
    return await hashOpenFile(file, opened.size, options);
  } catch (error) {
    return {
      kind: 'unreadable',
      message: error instanceof Error && 'code' in error ? String(error.code) : 'unreadable',
    };
  } finally {
    await file?.close();
  }
}

/** Reads into one buffer while the other is hashed. */
async function hashOpenFile(file: FileHandle, totalBytes: number, options: HashOptions): Promise<FileHashOutcome> {
  const hash = createHash('sha256');
  const reportProgress = atMostEvery(progressIntervalMs, options.onProgress);
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
    reportProgress(doneBytes, Math.max(totalBytes, doneBytes));
    [current, next] = [next, current];
  }
  options.onProgress(doneBytes, doneBytes);
  return { kind: 'hashed', sha256: hash.digest('hex'), bytes: doneBytes };
}

function atMostEvery(intervalMs: number, callback: HashOptions['onProgress']): HashOptions['onProgress'] {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (doneBytes, totalBytes) => {
    const now = performance.now();
    if (now - lastAt < intervalMs) return;
    lastAt = now;
    callback(doneBytes, totalBytes);
  };
}

/** Returns the running AppImage. Other installers are gone by the time the app runs, so `null`. */
async function findOwnInstaller(): Promise<string | null> {
  const path = process.env.APPIMAGE;
  if (!path) return null;
  try {
    await access(path);
    return path;
  } catch {
    return null;
  }
}
