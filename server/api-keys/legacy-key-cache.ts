/** Caches whether legacy keys exist: without any, a malformed key needs no database query. */
import type { Clock } from '../clock.ts';

/** Time in ms after which an import by another process is noticed, shorter than an admin command takes to exit. */
const recheckAfterMs = 25;

export type LegacyKeyCacheDeps = {
  readonly clock: Clock;
  /** Queries the database. */
  readonly hasLegacyKeys: () => Promise<boolean>;
};

type State =
  | { readonly kind: 'unknown' }
  /** Callers wait for `result`. */
  | { readonly kind: 'checking'; readonly result: Promise<boolean> }
  /** The result at `checkedAtMs` on the monotonic clock. */
  | { readonly kind: 'none'; readonly checkedAtMs: number }
  /** Not checked again: once a legacy key existed, malformed keys are looked up. */
  | { readonly kind: 'some' };

export class LegacyKeyCache {
  readonly #deps: LegacyKeyCacheDeps;
  #state: State = { kind: 'unknown' };

  constructor(deps: LegacyKeyCacheDeps) {
    this.#deps = deps;
  }

  async hasAny(): Promise<boolean> {
    const state = this.#state;
    switch (state.kind) {
      case 'some':
        return true;
      case 'checking':
        return state.result;
      case 'none':
        return this.#deps.clock.monotonic() - state.checkedAtMs < recheckAfterMs ? false : this.#check();
      case 'unknown':
        return this.#check();
    }
  }

  /** Must be called after this process has imported a legacy key. */
  noteImport(): void {
    this.#state = { kind: 'some' };
  }

  #check(): Promise<boolean> {
    const checkedAtMs = this.#deps.clock.monotonic();
    const result = this.#deps.hasLegacyKeys().then(
      (found) => this.#finish(found ? { kind: 'some' } : { kind: 'none', checkedAtMs }),
      (error: unknown) => {
        this.#finish({ kind: 'unknown' });
        throw error;
      },
    );
    this.#state = { kind: 'checking', result };
    return result;
  }

  /** Ends the check. If a key was imported during the query, the state stays `some`, whatever the query found. */
  #finish(state: State): boolean {
    if (this.#state.kind === 'checking') this.#state = state;
    return this.#state.kind === 'some';
  }
}
