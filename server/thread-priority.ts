/** Gives the threads that hash passwords less priority than the one that answers requests. */
import { readdir, readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';

/** Added to the nice value. When all cores are busy, such a thread gets a third of the processor time of an ordinary one. */
const niceness = 5;
const maxNice = 19;
const threads = '/proc/self/task';

/**
 * While passwords are hashed on every core, each response would otherwise wait for the end of a time slice. Sync and
 * other short work of Node's thread pool gets the same priority, which it does not notice next to the hashes. Only on
 * Linux, where threads have priorities of their own; elsewhere, and where it is not permitted, nothing changes.
 */
export async function lowerThreadPoolPriority(): Promise<void> {
  if (process.platform !== 'linux') return;
  try {
    const nice = Math.min(getPriority() + niceness, maxNice);
    // Reading the folder starts the thread pool if nothing has needed it yet; all its threads start at once.
    for (const id of await readdir(threads)) {
      const name = await readFile(`${threads}/${id}/comm`, 'utf8');
      if (name.trim() === 'libuv-worker') setPriority(Number(id), nice);
    }
  } catch {
    // Without `/proc`, or with a thread that has just ended, all is as it was.
  }
}
