/** Lists and reads the files below folders, for the scan for leaked keys. */
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, opendir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { FileReadOutcome, Files, WalkedFile } from '../licensing/platform.ts';

/** Small enough that scanning one buffer blocks the event loop for only a few milliseconds. */
const bufferBytes = 256 * 1024;

/** Opening a pipe without a writer would block. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Yields every regular file at or below the paths, one folder after another; follows a link at a given path, but no
 * others.
 */
export async function* walk(paths: readonly string[], signal: AbortSignal): AsyncIterable<WalkedFile> {
  for (const path of paths) {
    if (signal.aborted) return;
    yield* walkPath(path, signal);
  }
}

async function* walkPath(path: string, signal: AbortSignal): AsyncIterable<WalkedFile> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) yield* walkFolder(path, signal);
    else yield { kind: found.isFile() ? 'file' : 'unreadable', path };
  } catch (error) {
    yield { kind: 'unreadable', path, error };
  }
}

/**
 * Yields files in the order of the file system, so that a folder of any size needs little memory. Names are bytes: on
 * Linux they need not be UTF-8, and converted to text such a name would match no file.
 */
async function* walkFolder(root: string, signal: AbortSignal): AsyncIterable<WalkedFile> {
  const folders = [Buffer.from(join(root, sep))];
  for (let folder = folders.pop(); folder !== undefined && !signal.aborted; folder = folders.pop()) {
    try {
      for await (const entry of await openFolder(folder)) {
        if (signal.aborted) return;
        const path = Buffer.concat([folder, entry.name]);
        if (entry.isDirectory()) folders.push(Buffer.concat([path, Buffer.from(sep)]));
        else if (entry.isFile()) yield nameFile('file', path);
      }
    } catch (error) {
      yield { ...nameFile('unreadable', folder), error };
    }
  }
}

/** The declaration of `opendir` lacks this encoding. */
async function openFolder(path: Buffer): Promise<AsyncIterable<Dirent<Buffer>>> {
  const folder: unknown = await opendir(path, { encoding: 'buffer' as BufferEncoding });
  return folder as AsyncIterable<Dirent<Buffer>>;
}

function nameFile(kind: WalkedFile['kind'], pathBytes: Buffer): WalkedFile {
  const path = pathBytes.toString();
  return Buffer.from(path).equals(pathBytes) ? { kind, path } : { kind, path, pathBytes };
}

/** Reads one piece at a time, into the same buffer. Never rejects. */
export async function readFile(...[given, options]: Parameters<Files['readFile']>): Promise<FileReadOutcome> {
  const path = typeof given === 'string' ? given : Buffer.from(given);
  let file: FileHandle | undefined;
  try {
    // Checked before opening, because opening alone affects some devices, and after, because the path may have changed.
    if (!(await stat(path)).isFile()) return { kind: 'unreadable' };
    file = await open(path, openFlags);
    if (!(await file.stat()).isFile()) return { kind: 'unreadable' };
    return await readOpenFile(file, options);
  } catch (error) {
    return { kind: 'unreadable', error };
  } finally {
    await file?.close().catch(() => {});
  }
}

async function readOpenFile(
  file: FileHandle,
  { signal, onBytes }: Parameters<Files['readFile']>[1],
): Promise<FileReadOutcome> {
  const buffer = Buffer.allocUnsafe(bufferBytes);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, bufferBytes);
    if (signal.aborted) return { kind: 'canceled' };
    if (bytesRead === 0) return { kind: 'read' };
    if (!onBytes(buffer.subarray(0, bytesRead))) return { kind: 'ended' };
  }
}
