/** A signal that can be aborted, as small as the ports need it; the platform's own AbortController has no name here. */
import type { AbortSignalLike } from './platform.ts';

export type CancelSource = { readonly signal: AbortSignalLike; readonly cancel: () => void };

/** A signal, and the function that aborts it once. */
export function createCancelSource(): CancelSource {
  const listeners = new Set<() => void>();
  let aborted = false;
  return {
    signal: {
      get aborted() {
        return aborted;
      },
      addEventListener: (_type, listener) => void listeners.add(listener),
      removeEventListener: (_type, listener) => void listeners.delete(listener),
    },
    cancel: () => {
      if (aborted) return;
      aborted = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}
