/** Lets one process at a time use a folder. The system gives it free when that process ends, however it ends. */
import { rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { controlPath } from '../platform/control-path.ts';

/** The sockets of this process. */
const held = new Set<string>();

/** Between two looks at a socket on which nobody listens: another process may be about to. */
const startingMs = 50;

/** False if another process uses the folder. Where the system allows no socket, nobody is kept out. */
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
  // A pipe of Windows is gone with its process.
  if (process.platform === 'win32' || (await answers(path))) return false;
  await wait(startingMs);
  if (await answers(path)) return false;
  // A process that crashed has left it.
  rmSync(path, { force: true });
  return (await listen(path)) !== 'EADDRINUSE';
}

/** Resolves to the code of what went wrong. */
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
