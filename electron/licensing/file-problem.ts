/** Says why a file could not be read or written, by the error code of the operating system. */
import type { Failure, FileProblem } from '../../shared/ipc/result.ts';

const codes: readonly (readonly [FileProblem, string])[] = [
  ['disk-full', 'ENOSPC EDQUOT'],
  ['read-only', 'EROFS'],
  ['no-permission', 'EACCES EPERM'],
  ['missing', 'ENOENT ENOTDIR'],
  ['in-use', 'EBUSY ETXTBSY'],
  // Windows has no code of its own for a share or a cloud folder that does not respond.
  ['unreachable', 'EIO ENXIO ENODEV ESTALE ENOTCONN ETIMEDOUT EHOSTDOWN EHOSTUNREACH ENETUNREACH UNKNOWN'],
];

/** Returns the field of a failure for an error, or for its code, at a path. */
export function fileProblemOf(error: unknown, path = ''): Pick<Failure, 'fileProblem'> {
  const code = error instanceof Error && 'code' in error ? error.code : error;
  const problem = codes.find(([, of]) => of.split(' ').includes(String(code)))?.[0];
  if (problem === undefined) return {};
  // On a Windows share that does not respond, every file is missing.
  return { fileProblem: problem === 'missing' && path.startsWith('\\\\') ? 'unreachable' : problem };
}
