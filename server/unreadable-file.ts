/** Explains to an admin why a file could not be read. */
import { messageOf } from './errors.ts';

/** Describes the error from reading a file as a clause without a full stop, such as `there is no file /x`. */
export function describeUnreadable(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `there is no file ${path}`;
  if (code === 'EISDIR') return `${path} is a folder`;
  if (code === 'EACCES' || code === 'EPERM') return `this user may not read ${path}`;
  return messageOf(error);
}
