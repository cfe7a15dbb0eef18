/**
 * Reads files that settings name, and refuses one with a secret that other users of the machine can read or replace,
 * naming the command that fixes it.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { describeUnreadable, StartError } from './errors.ts';
import { findAccessProblem, hasNoOtherMembers, type PathEntry, type Process, quote } from './private-file.rules.ts';

const others = 0o007;
const permissions = 0o7777;

/**
 * Checks a file that only the server reads, and that may not exist yet, along with every folder and symbolic link on
 * the path to it. Throws `StartError` if other users have access.
 */
export function requirePrivateFile(path: string): void {
  // Windows has no file modes.
  if (process.platform === 'win32') return;
  const file = resolve(path);
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() && !existsSync(file)) {
    throw new StartError(
      `${path} is a symbolic link to ${readlinkSync(file)}, which does not exist: create that file, or run "rm ${quote(file)}"`,
    );
  }
  const self = describeProcess(dirname(file));
  for (const entry of entriesOnTheWayTo(file, 'file')) {
    const problem = findAccessProblem(entry, self);
    if (problem) throw new StartError(`${problem.reason}: run "${problem.command}"`);
  }
  if (existsSync(file)) requireReadable(file, self);
}

/**
 * Reads a file that a setting names; `check` may refuse the file before. Throws `StartError` under the name of the
 * setting.
 */
export function readSettingFile(setting: string, path: string, check?: (path: string) => void): Buffer {
  try {
    check?.(path);
    return readFileSync(path);
  } catch (error) {
    throw new StartError(`${setting} is wrong: ${describeUnreadable(path, error)}`, { cause: error });
  }
}

/** Checks a file that a group of programs may share, such as the key of a certificate. Throws `StartError`. */
export function requireNotPublicFile(path: string): void {
  if (process.platform === 'win32') return;
  const mode = statSync(path).mode & permissions;
  if ((mode & others) === 0) return;
  throw new StartError(
    `every user can read or change ${path} (mode ${mode.toString(8).padStart(4, '0')}): run "chmod o-rwx ${quote(path)}"`,
  );
}

function requireReadable(file: string, { uid }: Process): void {
  const target = realpathSync(file);
  if (!statSync(target).isFile())
    throw new StartError(`${file} is not a file: set LATCHKEY_SECRETS_FILE to the right one`);
  try {
    accessSync(target, constants.R_OK);
  } catch (error) {
    throw new StartError(`this user (uid ${uid}) cannot read ${target}: run "chown ${uid} ${quote(target)}"`, {
      cause: error,
    });
  }
}

const programFolder = realpathSync(import.meta.dirname);

/**
 * Yields the entries on the path, nearest first, without those that do not exist. Ends at a folder that contains the
 * server's own program: anybody who can change that folder can change the server itself.
 */
function* entriesOnTheWayTo(path: string, kind: PathEntry['kind']): Generator<PathEntry> {
  if (kind === 'ancestor' && isInside(programFolder, path)) return;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats) {
    const { uid, gid, mode } = stats;
    yield { kind: stats.isSymbolicLink() ? 'link' : kind, path, uid, gid, mode: mode & permissions };
    if (stats.isSymbolicLink()) {
      yield* entriesOnTheWayTo(resolve(realpathSync(dirname(path)), readlinkSync(path)), kind);
    }
  }
  yield* entriesOnTheWayTo(dirname(path), kind === 'file' ? 'folder' : 'ancestor');
}

function isInside(path: string, folder: string): boolean {
  const steps = relative(folder, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`);
}

/** Root may run commands on the data of the user that the server runs as, so it trusts the owner of the folder. */
function describeProcess(folder: string): Process {
  const uid = process.geteuid?.() ?? 0;
  const gids = [...(process.getgroups?.() ?? []), process.getegid?.() ?? 0];
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid ?? uid;
  return {
    uid,
    gids,
    trustedOwners: uid === 0 ? [0, owner] : [0, uid],
    isPrivateGroup: (gid) => isPrivateGroup(gid, uid),
  };
}

/** Returns true if the group has no other members. Only Linux is supported: other systems list users elsewhere. */
function isPrivateGroup(gid: number, uid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const [group, passwd] = ['/etc/group', '/etc/passwd'].map((table) => readFileSync(table, 'utf8'));
    return hasNoOtherMembers(gid, uid, { group: group ?? '', passwd: passwd ?? '' });
  } catch {
    return false;
  }
}
