/** Runs a command for each item of a list, one after the other, until one fails or the user has enough. */
import { useEffect, useRef, useState } from 'react';
import type { Done, Result } from '../shared/ipc/result.ts';
import { type Action, useAction } from './use-action.ts';

type RunForEach = {
  readonly action: Action;
  /** Number of items for which it has succeeded. */
  readonly doneCount: number;
  /** Continues where an earlier run has failed. Resolves to the number done so far, or to `null` after a failure. */
  readonly run: () => Promise<{ readonly value: number } | null>;
};

/** Ends after the present item once the component is no longer shown. `items` must not change. */
export function useRunForEach<Item>(items: readonly Item[], command: (item: Item) => Promise<Done>): RunForEach {
  const action = useAction();
  const [doneCount, setDoneCount] = useState(0);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const runRest = async (): Promise<Result<number>> => {
    let done = doneCount;
    for (const item of items.slice(doneCount)) {
      if (!isShown.current) break;
      const result = await command(item);
      if (!result.ok) return result;
      done += 1;
      setDoneCount(done);
    }
    return { ok: true, value: done };
  };
  return { action, doneCount, run: () => action.run(runRest) };
}
