/** One instance a profile: a file that names the process and is touched while it lives. */
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const touchEveryMs = 2_000;
const staleAfterMs = 10_000;

/** Whether this process is the only one on the profile; what a crashed one left is taken over. */
export function takeLock(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'host.lock');
  if (isHeld(path)) {
    console.error(`Latchkey is open already on ${folder}: end that one first, or start this one with "--data DIR".`);
    return false;
  }
  writeFileSync(path, String(process.pid), { mode: 0o600 });
  setInterval(() => utimesSync(path, new Date(), new Date()), touchEveryMs).unref();
  process.on('exit', () => rmSync(path, { force: true }));
  return true;
}

function isHeld(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    if (pid === process.pid || Date.now() - statSync(path).mtimeMs > staleAfterMs) return false;
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
