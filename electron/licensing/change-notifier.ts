/** Notifies listeners of changes, at most once per turn of the event loop. */
import type { Clock, Log } from './platform.ts';

type ChangeNotifierDeps = { readonly clock: Clock; readonly log: Log };

export class ChangeNotifier {
  readonly #deps: ChangeNotifierDeps;
  readonly #listeners = new Set<() => void>();
  #cancelTimer: (() => void) | null = null;

  constructor(deps: ChangeNotifierDeps) {
    this.#deps = deps;
  }

  /** Calls the listeners in the next turn. */
  notify(): void {
    this.#cancelTimer ??= this.#deps.clock.setTimer(0, () => this.#callListeners());
  }

  /** Returns a function to unsubscribe. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#listeners.clear();
  }

  #callListeners(): void {
    this.#cancelTimer = null;
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch {
        this.#deps.log.warn('a listener of the state failed');
      }
    }
  }
}
