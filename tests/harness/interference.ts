/** Something that happens between two steps of a request: before one of its queries or writes. */
import { vi } from 'vitest';
import type { Database } from '../../server/database/database.ts';

/**
 * Runs `interfere` before the query or write of `work` with this number, from 0. Returns the result of `work` and how
 * many queries and writes there were, those of `interfere` included.
 */
export async function interfereBefore<T>(
  act: number,
  { database, interfere, work }: { database: Database; interfere: () => Promise<unknown>; work: () => Promise<T> },
): Promise<{ readonly result: T; readonly acts: number }> {
  let acts = 0;
  const step = async () => {
    acts += 1;
    if (acts === act + 1) await interfere();
  };
  const executor = database.read.getExecutor();
  const [write, query] = [database.write.bind(database), executor.executeQuery.bind(executor)];
  const spies = [
    vi.spyOn(database, 'write').mockImplementation(async (change) => {
      await step();
      return write(change);
    }),
    vi.spyOn(executor, 'executeQuery').mockImplementation(async (...asked) => {
      await step();
      return query(...asked);
    }),
  ];
  try {
    return { result: await work(), acts };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
