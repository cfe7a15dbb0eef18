/** Verifies passwords of users and staff, within limits that prevent guessing. */
import type { LoginAccount, PasswordService, VerifiedLogin } from '../accounts/password.service.ts';
import type { Config } from '../config.ts';
import { networkPrefix } from '../network-address.ts';
import type { KnownNetworks } from './known-networks.ts';
import type { LoginThrottle } from './login-throttle.ts';

export type PasswordCheckDeps = {
  readonly config: Pick<Config, 'uniformLoginErrors'>;
  readonly passwords: PasswordService;
  readonly knownNetworks: KnownNetworks;
  readonly loginThrottle: LoginThrottle;
};

export type PasswordAttempt = {
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
    const { config, passwords, knownNetworks, loginThrottle } = this.#deps;
    const { email, password, address, isUniform = config.uniformLoginErrors } = attempt;
    const isPreferred = await knownNetworks.includes(account?.user.id, address);
    if (!isPreferred) {
      await loginThrottle.countNetwork(address);
      // Unless responses are uniform, no password is checked if there is no account.
      if (account || isUniform) await loginThrottle.countAccount(email);
    }
    return passwords.verify(account, password, { group: networkPrefix(address), isPreferred, isUniform });
  }
}
