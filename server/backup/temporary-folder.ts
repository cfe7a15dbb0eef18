/** A folder of its owner's alone that is gone when the work in it is over, or the process exits. */
import { mkdtempSync, rmSync } from 'node:fs';

/** Makes the folder at `prefix` and six characters, on the same disk as what the work will move out of it. */
export async function withTemporaryFolder<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(prefix);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await work(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
}
