/** Verifies passwords within the limits that keep them from being guessed, for users and for staff alike. */
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
  /** Of the client. */
  readonly address: string;
  /** Whether it stays hidden that there is no such account, whatever the setting says. */
  readonly isUniform?: boolean;
};

export class PasswordCheck {
  readonly #deps: PasswordCheckDeps;

  constructor(deps: PasswordCheckDeps) {
    this.#deps = deps;
  }

  /**
   * A client that the account has signed in from has its turn before strangers, who take turns with other networks.
   * Throws `ApiError` INVALID_CREDENTIALS; USER_NOT_FOUND unless uniform; RATE_LIMITED for too many strangers, whether or
   * not the password is right.
   */
  async verify(account: LoginAccount | undefined, attempt: PasswordAttempt): Promise<VerifiedLogin> {
    const { config, passwords, knownNetworks, loginThrottle } = this.#deps;
    const { email, password, address, isUniform = config.uniformLoginErrors } = attempt;
    const isPreferred = await knownNetworks.includes(account?.user.id, address);
    if (!isPreferred) {
      await loginThrottle.countNetwork(address);
      // Unless uniform, no password is tried where there is no account.
      if (account || isUniform) await loginThrottle.countAccount(email);
    }
    return passwords.verify(account, password, { group: networkPrefix(address), isPreferred, isUniform });
  }
}
