/** Says why a file could not be read, in words for an admin. */
import { messageOf } from './errors.ts';

/** A clause without a full stop, such as `there is no file /x`, for what reading the file has thrown. */
export function describeUnreadable(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `there is no file ${path}`;
  if (code === 'EISDIR') return `${path} is a folder`;
  if (code === 'EACCES' || code === 'EPERM') return `this user may not read ${path}`;
  return messageOf(error);
}
