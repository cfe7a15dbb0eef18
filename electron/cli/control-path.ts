/** Where the process that holds a profile listens for the commands of others. */
import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** A socket's path may have 104 bytes on macOS, 108 on Linux. */
const maxPathBytes = 100;

/** The path of the socket, or the name of the pipe on Windows. Only this user can reach it. */
export function controlPath(profile: string, platform: NodeJS.Platform = process.platform): string {
  const folder = resolveLinks(profile);
  const id = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  if (platform === 'win32') return `\\\\.\\pipe\\latchkey-${id}`;
  const path = join(folder, 'control.sock');
  if (Buffer.byteLength(path) <= maxPathBytes) return path;
  // A folder of this user alone; in one that others can write to, somebody else could listen first.
  const folders = [process.env.XDG_RUNTIME_DIR ?? '', homedir()];
  return join(folders.find(isAbsolute) ?? userInfo().homedir, `latchkey-${id}.sock`);
}

/** Every process has to arrive at the same path, by whatever link or case it was given the profile. */
function resolveLinks(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** Whether this user owns what is at the path; on Windows the system decides who may open a pipe. */
export function isOwnSocket(path: string): boolean {
  if (process.platform === 'win32') return true;
  try {
    return lstatSync(path).uid === process.getuid?.();
  } catch {
    return false;
  }
}
