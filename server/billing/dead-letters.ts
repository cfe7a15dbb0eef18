/**
 * Applies dead letters once what they wait for is known, a few per write, because other writes have to wait meanwhile.
 */
import type { Database, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { type DeadLetterPosition, type DeadLettersOf, listDeadLetters } from './billing.repository.ts';

/** Dead letters that wait for the same thing. */
export type Wait = {
  readonly reason: string;
  readonly of: DeadLettersOf;
  /** The last one tried. */
  readonly after?: DeadLetterPosition;
};

type DeadLettersDeps = {
  readonly database: Database;
  /** Retries a dead letter. Returns those that were waiting for its subscription. */
  readonly apply: (transaction: Transaction, id: string) => Promise<Wait | undefined>;
};

const maxAppliedAtOnce = 50;
/** Each wait has more dead letters than one write applies. Waits beyond this limit are retried after the next start. */
const maxWaits = 1000;

export class DeadLetters {
  readonly #deps: DeadLettersDeps;
  /** What the next writes apply. */
  readonly #waits = new Map<string, Wait>();

  /** `first` covers what a previous process has not applied. */
  constructor(deps: DeadLettersDeps, first: readonly Wait[]) {
    this.#deps = deps;
    this.#remember(first);
  }

  /**
   * Applies them within the write that makes known what they wait for, under the billing lock. `applyRest` applies the
   * rest.
   */
  async apply(transaction: Transaction, waits: readonly (Wait | undefined)[]): Promise<void> {
    const queue = new Map(waits.flatMap((wait) => (wait ? [[nameOf(wait), wait] as const] : [])));
    let left = maxAppliedAtOnce;
    // The loop also visits entries that are added meanwhile.
    for (const [name, wait] of queue) {
      if (left === 0) break;
      queue.delete(name);
      const letters = await listDeadLetters(transaction, wait, left);
      const last = letters.at(-1);
      if (last && letters.length === left) queue.set(name, { ...wait, after: last });
      left -= letters.length;
      for (const { id } of letters) {
        const following = await this.#deps.apply(transaction, id);
        if (following) queue.set(nameOf(following), following);
      }
    }
    this.#remember([...queue.values()]);
  }

  /** Uses separate writes, until nothing is left or `pause` resolves with false after one of them. */
  async applyRest(pause: () => Promise<boolean>): Promise<void> {
    while (this.#waits.size > 0) {
      const waits = [...this.#waits.values()];
      this.#waits.clear();
      try {
        await this.#deps.database.write(async (transaction) => {
          await lockByName(transaction, 'billing');
          await this.apply(transaction, waits);
        });
      } catch (error) {
        this.#remember(waits);
        throw error;
      }
      if (!(await pause())) return;
    }
  }

  #remember(waits: readonly Wait[]): void {
    for (const wait of waits) if (this.#waits.size < maxWaits) this.#waits.set(nameOf(wait), wait);
  }
}

function nameOf({ reason, of }: Wait): string {
  return JSON.stringify([reason, of]);
}
