/** Changes the password of a signed-in user. */

import type { ChangePasswordRequest } from '../../shared/api/auth.ts';
import type { PasswordService } from '../accounts/password.service.ts';
import { byUser } from '../audit/audit-event.ts';
import type { Database } from '../database/database.ts';
import type { SignedInUser } from '../http/bearer-auth.ts';
import { networkPrefix } from '../http/network-address.ts';
import type { MailQueue } from '../mail/mail-queue.service.ts';
import type { KnownNetworks } from './known-networks.ts';
import type { OwnerCheck } from './owner-check.ts';
import type { ResetClient } from './password-reset.service.ts';
import type { RefreshTokenService } from './refresh-token.service.ts';

export type PasswordChangeDeps = {
  readonly database: Database;
  readonly passwords: PasswordService;
  readonly ownerCheck: OwnerCheck;
  readonly refreshTokens: RefreshTokenService;
  readonly knownNetworks: KnownNetworks;
  readonly mailQueue: MailQueue;
};

export class PasswordChange {
  readonly #deps: PasswordChangeDeps;

  constructor(deps: PasswordChangeDeps) {
    this.#deps = deps;
  }

  /**
   * Ends every session but that of the given refresh token, whose access tokens end too.
   * Throws `ApiError` INVALID_CREDENTIALS, VALIDATION_ERROR, RATE_LIMITED.
   */
  async change({ id: userId }: SignedInUser, request: ChangePasswordRequest, client: ResetClient): Promise<void> {
    const { database, passwords, ownerCheck, refreshTokens, knownNetworks, mailQueue } = this.#deps;
    const { address, language } = client;
    const { current_password: password, new_password: newPassword, refresh_token: keptToken } = request;
    const login = await ownerCheck.verify({ userId, password, address });
    const turn = { group: networkPrefix(address), isPreferred: true };
    const prepared = await passwords.prepare(login.user.email, newPassword, turn);
    await database.write(async (transaction) => {
      await passwords.confirmLogin(transaction, login);
      const keptSessionId =
        keptToken === undefined ? undefined : await refreshTokens.findOwnFamily(transaction, keptToken, userId);
      const replacement = { ...prepared, isChange: true, keptSessionId };
      await passwords.apply(transaction, replacement, byUser(userId, address));
      await knownNetworks.remember(transaction, userId, address);
      await mailQueue.add(transaction, { kind: 'password_changed', email: login.user.email, language });
    });
  }
}
