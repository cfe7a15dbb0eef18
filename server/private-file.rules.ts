/** Decides who may read or change a file with a secret: the rules of OpenSSH's StrictModes, adapted to containers. */

/** The file, or a symbolic link or folder on the path to it. */
export type PathEntry = {
  /** `folder` contains the file; `ancestor` is a folder above that. */
  readonly kind: 'file' | 'link' | 'folder' | 'ancestor';
  readonly path: string;
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
};

export type Process = {
  readonly uid: number;
  readonly gids: readonly number[];
  /** Users who may own entries on the path: root, this user, and for root the owner of the file's folder. */
  readonly trustedOwners: readonly number[];
  /** True if nobody else is a member of the group. */
  readonly isPrivateGroup: (gid: number) => boolean;
};

/** What is wrong, and the shell command that fixes it. */
type AccessProblem = { readonly reason: string; readonly command: string };

const writableByGroup = 0o020;
const writableByOthers = 0o002;
const sticky = 0o1000;
const root = 0;

export function findAccessProblem(entry: PathEntry, process: Process): AccessProblem | undefined {
  if (!process.trustedOwners.includes(entry.uid)) {
    const command = `chown ${entry.kind === 'link' ? '-h ' : ''}${process.uid} ${quote(entry.path)}`;
    return { reason: `another user (uid ${entry.uid}) owns ${entry.path}`, command };
  }
  switch (entry.kind) {
    case 'file':
      return findFileProblem(entry, process);
    case 'folder':
    case 'ancestor':
      return findFolderProblem(entry, process);
    // A link has no mode; what it points to is checked separately.
    case 'link':
      return undefined;
  }
}

/** A file owned by root may be readable by a group of this process, as Kubernetes mounts secrets. */
function findFileProblem({ path, uid, gid, mode }: PathEntry, process: Process): AccessProblem | undefined {
  const isRootsForGroup = uid === root && process.uid !== root && process.gids.includes(gid);
  if ((mode & (isRootsForGroup ? 0o037 : 0o077)) === 0) return undefined;
  const takeOver = uid === root && process.uid !== root ? `chown ${process.uid} ${quote(path)} && ` : '';
  return {
    reason: `other users can read or change ${path} (mode ${format(mode)})`,
    command: `${takeOver}chmod 600 ${quote(path)}`,
  };
}

function findFolderProblem({ kind, path, gid, mode }: PathEntry, process: Process): AccessProblem | undefined {
  // In a folder such as /tmp, only the owner of an entry can replace it, and every entry on the path is checked.
  if ((mode & sticky) !== 0) return undefined;
  const ofGroup = kind === 'ancestor' && process.isPrivateGroup(gid) ? 0 : writableByGroup;
  if ((mode & (ofGroup | writableByOthers)) === 0) return undefined;
  return {
    reason: `other users can replace the file, because its folder ${path} has mode ${format(mode)}`,
    command: `chmod go-w ${quote(path)}`,
  };
}

type UserTables = {
  /** `/etc/group` */
  readonly group: string;
  /** `/etc/passwd` */
  readonly passwd: string;
};

/** True if the group is in the table and nobody but root and the user belongs to it. */
export function hasNoOtherMembers(gid: number, uid: number, { group, passwd }: UserTables): boolean {
  const users = parseTable(passwd).map(([name = '', , id, primaryGroup]) => ({
    name,
    isOther: Number(id) !== uid && Number(id) !== root,
    gid: Number(primaryGroup),
  }));
  const entries = parseTable(group).filter(([, , id]) => Number(id) === gid);
  if (entries.length === 0 || users.some((user) => user.isOther && user.gid === gid)) return false;
  const members = entries.flatMap(([, , , names = '']) => names.split(',').filter((name) => name !== ''));
  return members.every((member) => users.some(({ name, isOther }) => name === member && !isOther));
}

function parseTable(text: string): string[][] {
  return text.split('\n').flatMap((line) => (line.startsWith('#') ? [] : [line.split(':')]));
}

function format(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/** Quotes a path for a POSIX shell. */
export function quote(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
