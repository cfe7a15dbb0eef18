/** How a component runs a command and shows what became of it. */
import { useCallback, useRef, useState } from 'react';
import type { Failure, Result } from '../shared/ipc/result.ts';
import { runCommand } from './bridge.ts';
import { failureMessage } from './i18n/failure-message.ts';
import { useMessages } from './i18n/messages.ts';
import { showToast } from './store.ts';

export type Action = {
  readonly pending: boolean;
  /** Why the last run failed; `null` after a success and while a run is pending. */
  readonly failure: Failure | null;
  /** Resolves to the value, or to `null` if the command failed (see `failure`) or another run is still pending. */
  readonly run: <T>(command: () => Promise<Result<T>>) => Promise<{ readonly value: T } | null>;
  readonly clear: () => void;
};

/** Runs one command at a time and remembers the last failure. Canceling is not a failure. */
export function useAction(): Action {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const busy = useRef(false);

  const run = useCallback(async <T>(command: () => Promise<Result<T>>) => {
    if (busy.current) return null;
    busy.current = true;
    setPending(true);
    setFailure(null);
    const result = await runCommand(command);
    busy.current = false;
    setPending(false);
    if (result.ok) return { value: result.value };
    if (result.failure.code !== 'CANCELED') setFailure(result.failure);
    return null;
  }, []);

  const clear = useCallback(() => setFailure(null), []);
  return { pending, failure, run, clear };
}

/** For controls that have no room for an alert: shows a failure as a toast. */
export function useFailureToast(): (failure: Failure) => void {
  const { t } = useMessages();
  return (failure) => showToast(failureMessage(failure, t).what, 'blocked');
}
