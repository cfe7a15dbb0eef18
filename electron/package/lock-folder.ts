/** Lets one process at a time use a folder; the lock ends with the process, even after a crash. */
import { rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { controlPath } from '../platform/control-path.ts';

/** Socket paths of this process. */
const held = new Set<string>();

/** Delay before a silent socket is checked again: another process may be starting. */
const startingMs = 50;

/** Resolves to false if another process uses the folder. Where sockets are unavailable, nobody is refused. */
export async function lockFolder(folder: string): Promise<boolean> {
  const path = controlPath(folder);
  if (held.has(path)) return true;
  if (held.size === 0) process.once('exit', removeSockets);
  held.add(path);
  const isLocked = await lock(path);
  if (!isLocked) held.delete(path);
  return isLocked;
}

async function lock(path: string): Promise<boolean> {
  if ((await listen(path)) !== 'EADDRINUSE') return true;
  // On Windows, a pipe disappears with its process.
  if (process.platform === 'win32' || (await answers(path))) return false;
  await wait(startingMs);
  if (await answers(path)) return false;
  // A crashed process left it behind.
  rmSync(path, { force: true });
  return (await listen(path)) !== 'EADDRINUSE';
}

/** Resolves to the error code, if any. */
function listen(path: string): Promise<string | undefined> {
  const server = createServer((socket) => socket.destroy()).unref();
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    server.listen(path, () => resolve(undefined));
  });
}

function removeSockets(): void {
  for (const path of held) rmSync(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}
