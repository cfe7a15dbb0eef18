/** Lets what a browser was given to sign in with be used once, whichever process is asked. */
import type { Clock } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { spendChallenge } from './used-challenge.repository.ts';

/** By the hash of what was given. It is remembered until it could not be used anyway. */
export type Challenge = { readonly hash: string; readonly expiresAtMs: number };

export class UsedChallenges {
  readonly #clock: Clock;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** False if it was used before. */
  spend(transaction: Transaction, { hash, expiresAtMs }: Challenge): Promise<boolean> {
    return spendChallenge(transaction, { challenge_hash: hash, expires_at_ms: expiresAtMs }, this.#clock.now());
  }
}
