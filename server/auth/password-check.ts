/** Verifies passwords of users and staff, within limits that prevent guessing from many addresses. */
import { hash } from 'node:crypto';
import type { ErrorCode } from '../../shared/api/errors.ts';
import { parseEmail } from '../../shared/formats/email.ts';
import type { LoginAccount, PasswordService, VerifiedLogin } from '../accounts/password.service.ts';
import { ApiError, RateLimited } from '../errors.ts';
import { networkPrefix } from '../network-address.ts';
import type { RateCounter } from '../rate-limits/rate-counter.ts';
import type { Config } from '../settings/config.ts';
import type { KnownNetworks } from './known-networks.ts';

/** Attempts per minute on one account, from all networks that it has not signed in from together. */
const attemptsPerAccount = 20;

/**
 * A wide network (IPv4 /24, IPv6 /48) gets the limit of this many clients, over all accounts together. There is no limit
 * if clients have none.
 */
const clientsPerNetwork = 20;

type PasswordCheckDeps = {
  readonly config: Pick<Config, 'uniformLoginErrors' | 'rateLimits'>;
  readonly counter: RateCounter;
  readonly passwords: PasswordService;
  readonly knownNetworks: KnownNetworks;
};

type PasswordAttempt = {
  readonly email: string;
  readonly password: string;
  /** The client's IP address. */
  readonly address: string;
  /** True to hide that the account does not exist, whatever the setting says. */
  readonly isUniform?: boolean;
};

export class PasswordCheck {
  readonly #deps: PasswordCheckDeps;

  constructor(deps: PasswordCheckDeps) {
    this.#deps = deps;
  }

  /**
   * Verifies the password. A client from a network that the account has signed in from is served before unknown
   * clients, which take turns by network. Throws `ApiError` INVALID_CREDENTIALS; USER_NOT_FOUND unless uniform;
   * RATE_LIMITED for too many attempts by unknown clients, whether or not the password is right.
   */
  async verify(account: LoginAccount | undefined, attempt: PasswordAttempt): Promise<VerifiedLogin> {
    const { config, passwords, knownNetworks } = this.#deps;
    const { email, password, address, isUniform = config.uniformLoginErrors } = attempt;
    const network = networkPrefix(address);
    const isPreferred = await knownNetworks.includes(account?.user.id, address);
    if (!isPreferred) {
      const limit = config.rateLimits.login * clientsPerNetwork;
      if (limit > 0) await this.#count('login-network', network, limit);
      // Unless responses are uniform, no password is checked if there is no account.
      if (account || isUniform) {
        await this.#count('login-account', hash('sha256', parseEmail(email)?.key ?? email), attemptsPerAccount);
      }
    }
    return passwords.verify(account, password, { group: network, isPreferred, isUniform });
  }

  async #count(name: string, key: string, limit: number): Promise<void> {
    const { allowed, remaining, resetSeconds } = await this.#deps.counter.take(`${name} ${key}`, limit);
    if (!allowed) throw new RateLimited({ name, limit, remaining, resetSeconds });
  }
}

const refusals: readonly ErrorCode[] = ['INVALID_CREDENTIALS', 'USER_NOT_FOUND', 'RATE_LIMITED'];

/** Returns why a password was refused, for the audit log; `undefined` for any other error, a failure of the server. */
export function findRefusalReason(error: unknown): 'too many tries' | 'wrong password' | undefined {
  if (!(error instanceof ApiError) || !refusals.includes(error.code)) return undefined;
  return error.code === 'RATE_LIMITED' ? 'too many tries' : 'wrong password';
}
