/**
 * Root may run commands in a folder of the user that the server runs as. That user can exchange everything in it at any
 * moment, also for links to files of root, so root works there with the rights of that user.
 */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';

type Rights = { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };

/** The rights that this process was started with. */
const ownRights = readRights();

/**
 * Runs `work` with the rights of the folder's owner if root runs this process, until `work` returns or its promise
 * settles. This applies to the whole process. Some containers do not allow it; root then keeps its own rights.
 */
export function asOwnerOf<T>(folder: string, work: () => T): T {
  const owner = findOwner(folder);
  return owner ? withRights(owner, work) : work();
}

/** Within `asOwnerOf`, runs `work` with the rights that this process was started with, for files the admin named. */
export function asCaller<T>(work: () => T): T {
  return isActingAsOwner() ? withRights(ownRights, work) : work();
}

/** True while root has the rights of another user. */
export function isActingAsOwner(): boolean {
  return process.getuid?.() === 0 && process.geteuid?.() !== 0;
}

/** Files that a server which runs as root has in its data folder, even if another user owns that. */
const filesOfServer = ['latchkey.db', 'secrets.json'];

/** Returns the rights of the owner; `undefined` if this process cannot or need not take them. */
function findOwner(folder: string): Rights | undefined {
  // Windows has no user ids, and in a worker thread they cannot be changed.
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return undefined;
  // The work itself reports a folder that is missing.
  const { uid, gid } = statSync(folder, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 };
  if (uid === 0) return undefined;
  const isOfOther = (name: string) => (lstatSync(join(folder, name), { throwIfNoEntry: false })?.uid ?? uid) !== uid;
  return filesOfServer.some(isOfOther) ? undefined : { uid, gid, groups: [gid] };
}

function withRights<T>(rights: Rights, work: () => T): T {
  const before = readRights();
  const isTaken = takeRights(rights);
  if (!isTaken) takeRights(before);
  let result: T;
  try {
    result = work();
  } catch (error) {
    takeRights(before);
    throw error;
  }
  if (result instanceof Promise) return result.finally(() => takeRights(before)) as T;
  takeRights(before);
  return result;
}

function readRights(): Rights {
  return { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, groups: process.getgroups?.() ?? [] };
}

/** Returns false if the system does not allow it. */
function takeRights({ uid, gid, groups }: Rights): boolean {
  try {
    process.seteuid?.(0);
    process.setgroups?.([...groups]);
    process.setegid?.(gid);
    process.seteuid?.(uid);
    return true;
  } catch {
    return false;
  }
}
