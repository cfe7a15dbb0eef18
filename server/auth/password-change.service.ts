/** Changes the password of a signed-in user, or of a staff member on the admin page. */
import type { ChangePasswordRequest } from '../../shared/api/auth.ts';
import type { PasswordService } from '../accounts/password.service.ts';
import { type AuditContext, byUser } from '../audit/audit-event.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import { networkPrefix } from '../network-address.ts';
import type { KnownNetworks } from './known-networks.ts';
import type { Reauthentication } from './reauthentication.ts';
import type { RefreshTokenService } from './refresh-token.service.ts';
import type { Client, SignedInUser } from './signed-in-user.ts';

type PasswordChangeServiceDeps = CommonDeps & {
  readonly passwords: PasswordService;
  readonly reauthentication: Reauthentication;
  readonly refreshTokens: RefreshTokenService;
  readonly knownNetworks: KnownNetworks;
  readonly mailQueue: MailQueueService;
  /** Lists the names of the passkeys with which the account opens the admin page. */
  readonly listPasskeyNames: (transaction: Transaction, userId: string) => Promise<string[]>;
};

/** Account whose password is changed, and the actor recorded in the audit log. */
type PasswordChangeOf = {
  readonly userId: string;
  readonly by: AuditContext;
  readonly request: Pick<ChangePasswordRequest, 'current_password' | 'new_password'>;
};

export class PasswordChangeService {
  readonly #deps: PasswordChangeServiceDeps;

  constructor(deps: PasswordChangeServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Changes the password and ends every session except that of the given refresh token, whose access tokens end as
   * well. On the account page, keeps the session that made the request. Throws `ApiError` INVALID_CREDENTIALS,
   * VALIDATION_ERROR, RATE_LIMITED.
   */
  async change(
    { id: userId, ...session }: SignedInUser,
    request: ChangePasswordRequest,
    client: Client,
  ): Promise<void> {
    const { refreshTokens } = this.#deps;
    const { refresh_token: keptToken } = request;
    const change = { userId, by: byUser(userId, client.address), request };
    await this.#replace(change, client, async (transaction, apply) => {
      if (keptToken !== undefined) return apply(await refreshTokens.findOwnSession(transaction, keptToken, userId));
      return apply(session.isBrowser ? session.sessionId : undefined);
    });
  }

  /**
   * Changes the password and ends every session. `startSession` starts a new one for the browser within the same write.
   * Throws `ApiError` INVALID_CREDENTIALS, VALIDATION_ERROR, RATE_LIMITED.
   */
  async changeOfStaff<T>(
    change: PasswordChangeOf,
    client: Client,
    startSession: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    return this.#replace(change, client, async (transaction, apply) => {
      await apply();
      return startSession(transaction);
    });
  }

  /** Replaces the password. `within` must call `apply`, which ends every session but the given one. */
  async #replace<T>(
    { userId, by, request }: PasswordChangeOf,
    { address, language }: Client,
    within: (transaction: Transaction, apply: (keptSessionId?: string) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const { database, passwords, reauthentication, knownNetworks, mailQueue, listPasskeyNames } = this.#deps;
    const login = await reauthentication.verify({ userId, password: request.current_password, address, by });
    const { email } = login.user;
    const turn = { group: networkPrefix(address), isPreferred: true };
    const prepared = await passwords.prepare(login.user, request.new_password, turn);
    return database.write(async (transaction) => {
      await passwords.confirmLogin(transaction, login);
      return within(transaction, async (keptSessionId) => {
        await passwords.apply(transaction, { ...prepared, isChange: true, keptSessionId }, by);
        await knownNetworks.remember(transaction, userId, address);
        const passkeys = await listPasskeyNames(transaction, userId);
        await mailQueue.add(transaction, { kind: 'password_changed', email, language, passkeys });
      });
    });
  }
}
