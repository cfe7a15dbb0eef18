/** Remembers whether there are legacy keys, so that an ill-formed key is refused without a look-up where there are none. */
import type { Clock } from '../clock.ts';

/** An import by another process is noticed within so long: less than an admin command takes to end after it. */
const recheckMs = 25;

export class LegacyPresence {
  readonly #clock: Clock;
  readonly #ask: () => Promise<boolean>;
  #known = false;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** `ask` looks into the database. */
  constructor(clock: Clock, ask: () => Promise<boolean>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  async isThereAny(): Promise<boolean> {
    const now = this.#clock.monotonic();
    if (this.#known || now - this.#askedAt < recheckMs) return this.#known;
    this.#askedAt = now;
    this.#known = await this.#ask();
    return this.#known;
  }

  /** One was imported by this process. */
  noteImport(): void {
    this.#known = true;
  }
}
