/**
 * Lets one process at a time use a folder, and one client of that process; the lock ends with the process, even after a
 * crash.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { controlPath } from '../platform/control-path.ts';

type Lock = {
  /** Resolves to false if another process has the lock. */
  readonly isLocked: Promise<boolean>;
  /** True once this process has it. */
  isHeld: boolean;
  /** True while a client uses the folder. */
  isClaimed: boolean;
};

/** Reserves the folder for one client; returns what ends that, or `null` while another client uses the folder. */
export type Claim = () => (() => void) | null;

/** The locks that this process has or is waiting for, by socket path. */
const locks = new Map<string, Lock>();

/** Delay before a socket is checked again: another process may be starting. */
const startingMs = 50;

/** Resolves to `null` if another process uses the folder. Where sockets are unavailable, no process is refused. */
export async function lockFolder(folder: string): Promise<Claim | null> {
  const path = controlPath(folder);
  const lock = locks.get(path) ?? { isLocked: acquire(path), isHeld: false, isClaimed: false };
  locks.set(path, lock);
  if (await lock.isLocked) {
    hold(lock);
    return () => claim(lock);
  }
  locks.delete(path);
  return null;
}

function claim(lock: Lock): ReturnType<Claim> {
  if (lock.isClaimed) return null;
  lock.isClaimed = true;
  let isEnded = false;
  return () => {
    // By the second time, the folder may be another client's.
    if (!isEnded) lock.isClaimed = false;
    isEnded = true;
  };
}

async function acquire(path: string): Promise<boolean> {
  if ((await listen(path)) !== 'EADDRINUSE') return true;
  // On Windows, a pipe disappears with its process.
  if (process.platform === 'win32' || (await answers(path))) return false;
  await wait(startingMs);
  if (await answers(path)) return false;
  // A crashed process left it behind.
  return replaceSocket(path);
}

/**
 * Puts a socket of this process in the place of one where nobody listens. If several processes do so at once, only the
 * last one has the lock: the others find that their socket was replaced.
 */
async function replaceSocket(path: string): Promise<boolean> {
  // No longer than the name that it gets, because the length of a socket path is limited.
  const temporaryPath = join(dirname(path), `.${randomBytes(4).toString('hex')}`);
  const server = await listen(temporaryPath);
  if (typeof server === 'string') return true;
  const { ino } = lstatSync(temporaryPath);
  renameSync(temporaryPath, path);
  await wait(startingMs);
  const isOwn = lstatSync(path, { throwIfNoEntry: false })?.ino === ino;
  // Node removes only the temporary path, which is gone.
  if (!isOwn) server.close();
  return isOwn;
}

/** Resolves to the server, or to the error code. */
function listen(path: string): Promise<Server | string> {
  const server = createServer((socket) => socket.destroy()).unref();
  return new Promise((resolve) => {
    server.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
    server.listen(path, () => resolve(server));
  });
}

/** Removes the socket when this process ends. */
function hold(lock: Lock): void {
  if (![...locks.values()].some(({ isHeld }) => isHeld)) process.once('exit', removeSockets);
  lock.isHeld = true;
}

function removeSockets(): void {
  for (const [path, { isHeld }] of locks) if (isHeld) rmSync(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}
