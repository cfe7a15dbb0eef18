/** Tells listeners of changes, at most once a turn of the loop. */
import type { AppState } from '../../shared/ipc/app-state.ts';
import type { Clock, Log } from './platform.ts';

export type StatePublisher = {
  /** Something has changed; listeners hear of it in the next turn. */
  readonly changed: () => void;
  readonly subscribe: (listener: (state: AppState) => void) => () => void;
  readonly stop: () => void;
};

/** A publisher of what `takeSnapshot` says at the time of the notification. */
export function createStatePublisher(clock: Clock, log: Log, takeSnapshot: () => AppState): StatePublisher {
  const listeners = new Set<(state: AppState) => void>();
  let cancel: (() => void) | null = null;

  function publish(): void {
    cancel = null;
    const state = takeSnapshot();
    for (const listener of [...listeners]) {
      try {
        listener(state);
      } catch {
        log.warn('a listener of the state has failed');
      }
    }
  }

  return {
    changed: () => {
      cancel ??= clock.setTimer(0, publish);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => {
      cancel?.();
      cancel = null;
      listeners.clear();
    },
  };
}
