/** Limits how many passwords unknown clients can try on one account from anywhere, and from one wide network. */
import { hash } from 'node:crypto';
import { parseEmail } from '../../shared/formats/email.ts';
import { RateLimited } from '../errors.ts';
import { networkPrefix } from '../network-address.ts';
import type { RateCounter } from '../rate-limits/rate-counter.ts';

/** Attempts per minute on one account, from all networks that it has not signed in from together. */
const triesPerAccount = 20;

/** A wide network (IPv4 /24, IPv6 /48) gets the limit of this many clients, over all accounts together. */
const clientsPerNetwork = 20;

export type LoginThrottleDeps = {
  readonly counter: RateCounter;
  /** Sign-ins per minute and client; 0 means no limit, for wide networks too. */
  readonly loginsPerClient: number;
};

export class LoginThrottle {
  readonly #deps: LoginThrottleDeps;

  constructor(deps: LoginThrottleDeps) {
    this.#deps = deps;
  }

  /** Counts an attempt from an address that the account has not signed in from. Throws `RateLimited`. */
  async countNetwork(address: string): Promise<void> {
    const limit = this.#deps.loginsPerClient * clientsPerNetwork;
    if (limit > 0) await this.#take('login-network', networkPrefix(address), limit);
  }

  /**
   * Counts a password attempt on an account from an address that it has not signed in from. The account need not exist.
   * Throws `RateLimited`.
   */
  async countAccount(email: string): Promise<void> {
    await this.#take('login-account', hash('sha256', parseEmail(email)?.key ?? email), triesPerAccount);
  }

  async #take(name: string, key: string, limit: number): Promise<void> {
    const { allowed, remaining, resetSeconds } = await this.#deps.counter.take(`${name} ${key}`, limit);
    if (!allowed) throw new RateLimited({ name, limit, remaining, resetSeconds });
  }
}
