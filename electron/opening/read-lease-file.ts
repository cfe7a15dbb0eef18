/** Reads a lease file that was opened with the app. */
import { maxLeaseText } from '../../shared/formats/lease-text.ts';
import type { FileProblem } from '../../shared/ipc/result.ts';
import { fileProblemOf } from '../licensing/file-problem.ts';
import { readRegularFile } from '../platform/read-regular-file.ts';

export type LeaseFileContent =
  | { readonly text: string }
  /** The file cannot be read, or is not a regular file. */
  | { readonly text: null; readonly fileProblem?: FileProblem };

/** Reads the file; of a longer one, only as much as is too long for a lease. Never rejects. */
export async function readLeaseFile(path: string): Promise<LeaseFileContent> {
  try {
    return { text: (await readRegularFile(path, maxLeaseText + 1)).toString() };
  } catch (error) {
    return { text: null, ...fileProblemOf(error, path) };
  }
}
