/** Tells a program that runs from one that cannot run here (a library is missing, say): that one ends at once. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const settlingMs = 3_000;

/** The child, once it has shown that it stays; `null` where it does not. */
export async function settled(child: ChildProcess): Promise<ChildProcess | null> {
  const gone = once(child, 'exit').then(
    () => true,
    () => true,
  );
  return (await Promise.race([gone, wait(settlingMs).then(() => false)])) ? null : child;
}
