/** Allows one instance per profile: a file holds the id of its process and is touched while it runs. */
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '../../platform/create-folder.ts';

const touchIntervalMs = 2_000;
const staleAfterMs = 10_000;

/** Whether this process is now the only instance on the profile. The lock of a crashed instance is taken over. */
export function requestInstanceLock(folder: string): boolean {
  createFolder(folder);
  const path = join(folder, 'host.lock');
  if (isLocked(path)) {
    console.error(
      `Latchkey is already running with the profile ${folder}. Quit it first, or use another folder with "--data DIR".`,
    );
    return false;
  }
  writeFileSync(path, String(process.pid), { mode: 0o600 });
  setInterval(() => utimesSync(path, new Date(), new Date()), touchIntervalMs).unref();
  process.on('exit', () => rmSync(path, { force: true }));
  return true;
}

function isLocked(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    if (pid === process.pid || Date.now() - statSync(path).mtimeMs > staleAfterMs) return false;
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
