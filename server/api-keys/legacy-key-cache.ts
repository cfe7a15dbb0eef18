/** Remembers whether there are legacy keys, so that an ill-formed key is refused without a look-up where there are none. */
import type { Clock } from '../clock.ts';

/** An import by another process is noticed within so long: less than an admin command takes to end after it. */
const recheckMs = 25;

export class LegacyKeyCache {
  readonly #clock: Clock;
  readonly #ask: () => Promise<boolean>;
  #known = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<boolean> | undefined;

  /** `ask` looks into the database. */
  constructor(clock: Clock, ask: () => Promise<boolean>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** Those who ask during a look-up wait for its answer: until there is one, "none" is only a guess. */
  async isThereAny(): Promise<boolean> {
    if (this.#known || this.#clock.monotonic() - this.#askedAt < recheckMs) return this.#known;
    this.#asking ??= this.#look().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** One was imported by this process. */
  noteImport(): void {
    this.#known = true;
  }

  async #look(): Promise<boolean> {
    const startedAt = this.#clock.monotonic();
    if (await this.#ask()) this.#known = true;
    this.#askedAt = startedAt;
    return this.#known;
  }
}
