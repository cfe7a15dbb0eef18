/** Where the process that holds a profile, or the folder of the package, listens for other processes. */
import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** A socket path is limited to 104 bytes on macOS and 108 on Linux. */
const maxPathBytes = 100;

/** Returns the path of the socket, or the name of the pipe on Windows. Only this user can access it. */
export function controlPath(profile: string, platform: NodeJS.Platform = process.platform): string {
  const folder = resolveLinks(profile);
  const id = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  if (platform === 'win32') return `\\\\.\\pipe\\latchkey-${id}`;
  const path = join(folder, 'control.sock');
  if (Buffer.byteLength(path) <= maxPathBytes) return path;
  // Must be a folder of this user only; in one that others can write to, somebody else could listen first.
  const folders = [process.env.XDG_RUNTIME_DIR ?? '', homedir()];
  return join(folders.find(isAbsolute) ?? userInfo().homedir, `latchkey-${id}.sock`);
}

/** Every process must get the same path, whatever link or case the profile was given with. */
function resolveLinks(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** True if this user owns what is at the path; on Windows the system controls access to a pipe. */
export function isOwnSocket(path: string): boolean {
  if (process.platform === 'win32') return true;
  try {
    return lstatSync(path).uid === process.getuid?.();
  } catch {
    return false;
  }
}
