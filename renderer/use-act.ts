/** Runs a command for a component: one flight at a time, with its last refusal. */
import { useCallback, useRef, useState } from 'react';
import type { Failure, Result } from '../shared/ipc/result.ts';
import { ask } from './bridge.ts';

export type Act = {
  readonly pending: boolean;
  readonly failure: Failure | null;
  /** Resolves to the value, or to `null` after a refusal (which is then in `failure`) or while one is in flight. */
  readonly run: <T>(command: () => Promise<Result<T>>) => Promise<{ readonly value: T } | null>;
  readonly clear: () => void;
};

/** A person's own "cancel" is no failure to show. */
export function useAct(): Act {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const busy = useRef(false);

  const run = useCallback(async <T>(command: () => Promise<Result<T>>) => {
    if (busy.current) return null;
    busy.current = true;
    setPending(true);
    setFailure(null);
    const result = await ask(command);
    busy.current = false;
    setPending(false);
    if (result.ok) return { value: result.value };
    if (result.failure.code !== 'CANCELED') setFailure(result.failure);
    return null;
  }, []);

  const clear = useCallback(() => setFailure(null), []);
  return { pending, failure, run, clear };
}
