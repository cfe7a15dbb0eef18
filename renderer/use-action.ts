/** Hooks with which a component runs a command and shows the outcome. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure, Result } from '../shared/ipc/result.ts';
import { showToast } from './components/toast-store.ts';
import { failureMessage, isConnectionFailure } from './i18n/failure-message.ts';
import { useSharedMessages } from './i18n/shared-messages.ts';
import { runCommand } from './run-command.ts';

export type Action = {
  readonly pending: boolean;
  /** Why the last run failed; `null` after a success and while a run is pending. */
  readonly failure: Failure | null;
  /** Resolves to the value, or to `null` if the command failed (see `failure`) or another run is still pending. */
  readonly run: <T>(command: Command<T>) => Promise<{ readonly value: T } | null>;
  /** Clears the last failure. */
  readonly clear: () => void;
  /** Ends the pending run, which resolves to `null` later, whatever the command does. */
  readonly stopWaiting: () => void;
};

/** `isWaiting` returns whether its outcome still matters. */
type Command<T> = (isWaiting: () => boolean) => Promise<Result<T>>;

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * Runs one command at a time and keeps the last failure until `subject` changes, if it is about one. Canceling is not a
 * failure.
 */
export function useAction(subject?: string | null): Action {
  const [state, setState] = useState<State>({ kind: 'idle' });
  // Mirrors the state without waiting for a render, so that two quick presses run the command only once.
  const current = useRef(state);
  const change = useCallback((next: State) => {
    current.current = next;
    setState(next);
  }, []);

  const run = useCallback(
    async <T>(command: Command<T>) => {
      if (current.current.kind === 'pending') return null;
      const pending: State = { kind: 'pending' };
      change(pending);
      const isWaiting = () => current.current === pending;
      const result = await runCommand(() => command(isWaiting));
      if (!isWaiting()) return null;
      const failed = !result.ok && result.failure.code !== 'CANCELED';
      change(failed ? { kind: 'failed', failure: result.failure } : { kind: 'idle' });
      return result.ok ? { value: result.value } : null;
    },
    [change],
  );

  const clear = useCallback(() => {
    if (current.current.kind === 'failed') change({ kind: 'idle' });
  }, [change]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was said of the previous subject is over
  useEffect(clear, [subject]);
  const stopWaiting = useCallback(() => change({ kind: 'idle' }), [change]);
  const failure = state.kind === 'failed' ? state.failure : null;
  return { pending: state.kind === 'pending', failure, run, clear, stopWaiting };
}

/** Runs a command and shows its failure, or the text that `describe` returns for its value, as a toast. */
export type Attempt = <T>(command: () => Promise<Result<T>>, describe?: (value: T) => string) => void;

/** For commands whose control has no space for the outcome, or is gone by then. */
export function useAttempt(): Attempt {
  const showFailure = useFailureToast();
  return (command, describe) =>
    void runCommand(command).then((result) => {
      if (!result.ok) showFailure(result.failure);
      else if (describe !== undefined) showToast(describe(result.value));
    });
}

/**
 * Returns a function that shows a failure as a toast, for controls without space for an alert. Canceling is not a
 * failure.
 */
export function useFailureToast(): (failure: Failure) => void {
  const { t } = useSharedMessages();
  return (failure) => {
    if (failure.code === 'CANCELED') return;
    const { what, help } = failureMessage(failure, t);
    const isConnection = isConnectionFailure(failure);
    // For a failed connection, the toast has a button that helps.
    showToast(isConnection ? what : `${what} ${help}`, 'blocked', isConnection);
  };
}
