/** Remembers whether there are legacy keys: where there are none, a malformed key needs no database query. */
import type { Clock } from '../clock.ts';

/** An import by another process is noticed this soon, which is less than an admin command takes to exit. */
const recheckAfterMs = 25;

export type LegacyKeyCacheDeps = {
  readonly clock: Clock;
  /** Queries the database. */
  readonly hasLegacyKeys: () => Promise<boolean>;
};

export class LegacyKeyCache {
  readonly #deps: LegacyKeyCacheDeps;
  #hasAny = false;
  /** On the monotonic clock. */
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #checking: Promise<boolean> | undefined;

  constructor(deps: LegacyKeyCacheDeps) {
    this.#deps = deps;
  }

  /** Callers during a query wait for its result. */
  async hasAny(): Promise<boolean> {
    if (this.#hasAny || this.#deps.clock.monotonic() - this.#checkedAtMs < recheckAfterMs) return this.#hasAny;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** This process imported a legacy key. */
  noteImport(): void {
    this.#hasAny = true;
  }

  async #check(): Promise<boolean> {
    const startedAtMs = this.#deps.clock.monotonic();
    if (await this.#deps.hasLegacyKeys()) this.#hasAny = true;
    this.#checkedAtMs = startedAtMs;
    return this.#hasAny;
  }
}
