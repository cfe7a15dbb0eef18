/** Gives the threads that hash passwords a lower priority than the one that answers requests. */
import { readdir, readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';

/** Added to the nice value. When all cores are busy, such a thread gets a third of the CPU time of an ordinary one. */
const niceness = 5;
const maxNice = 19;
const threads = '/proc/self/task';

/**
 * Lowers the priority of Node's thread pool. While passwords are hashed on every core, each response would otherwise
 * wait for the end of a time slice. Syncs and other short work of the thread pool get the same priority, which makes no
 * noticeable difference next to the hashes. Works only on Linux, where threads have their own priorities; elsewhere, or
 * without permission, it does nothing.
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
    // There is no `/proc`, or the thread has just ended: nothing changes.
  }
}
