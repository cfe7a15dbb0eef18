/** Signs users up and in, refreshes their sessions and signs them out. */
import type { LoginRequest, RefreshedTokens, SignupRequest, TokenSet, User } from '../../shared/api/auth.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { EndSessions } from '../accounts/account.ts';
import type { LoginAccount, PasswordService, VerifiedLogin } from '../accounts/password.service.ts';
import { type AuditEvent, accountTarget, byAnonymous, byUser, unknownAccount } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import { networkPrefix } from '../network-address.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import type { AccessTokenService } from './access-token.service.ts';
import type { BrowserSessionService } from './browser-session.service.ts';
import type { KnownNetworks } from './known-networks.ts';
import { findRefusalReason, type PasswordCheck } from './password-check.ts';
import type { AccessGrant } from './refresh-token.repository.ts';
import type { RefreshTokenService, StartedSession } from './refresh-token.service.ts';
import type { SignedInUser, SignInClient } from './signed-in-user.ts';

type AuthServiceDeps = AuditedDeps & {
  readonly accounts: AccountService;
  readonly passwords: PasswordService;
  readonly subscriptions: SubscriptionService;
  readonly accessTokens: AccessTokenService;
  readonly refreshTokens: RefreshTokenService;
  /** Ends those on the admin page too. */
  readonly endSessions: EndSessions;
  readonly browserSessions: BrowserSessionService;
  readonly knownNetworks: KnownNetworks;
  readonly passwordCheck: PasswordCheck;
  readonly mailQueue: MailQueueService;
};

type RefreshContext = {
  readonly idempotencyKey: string | undefined;
  /** The client's IP address. */
  readonly address: string;
};

type LogoutContext = {
  readonly allDevices: boolean;
  /** The client's IP address. */
  readonly address: string;
};

/** Each method throws `ApiError` with the codes named in its comment. */
export class AuthService {
  readonly #deps: AuthServiceDeps;

  constructor(deps: AuthServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Creates an account, starts its trial if one is configured and the address needs no confirmation, and signs the user
   * in. SIGN_UP_CLOSED, EMAIL_EXISTS, VALIDATION_ERROR.
   */
  async signup(request: SignupRequest, { address, userAgent, language }: SignInClient): Promise<TokenSet> {
    const { mailQueue, database, config, accounts, subscriptions, refreshTokens, knownNetworks } = this.#deps;
    // Checked before any look-up, so that neither the response nor its timing reveals whether the account exists.
    if (config.signUp === 'invited') throw new ApiError('SIGN_UP_CLOSED');
    const account = await accounts.prepare(request, { group: networkPrefix(address), isPreferred: false });
    const { user } = account;
    const session = await database.write(async (transaction) => {
      await accounts.insert(transaction, account, byUser(user.id, address));
      if (config.confirmEmail) {
        await mailQueue.add(transaction, { kind: 'confirm_email', email: user.email, language, user_id: user.id });
      } else if (config.trial) await subscriptions.startTrial(transaction, user.id, config.trial);
      await knownNetworks.remember(transaction, user.id, address);
      return refreshTokens.startSession(transaction, user.id, userAgent);
    });
    return {
      ...(await this.#issueTokens({ ...session, userId: user.id, passwordChangedAtMs: account.createdAtMs })),
      user,
    };
  }

  /** Signs a user in. INVALID_CREDENTIALS, RATE_LIMITED, and USER_NOT_FOUND unless login errors are uniform. */
  async login(request: LoginRequest, { address, userAgent }: SignInClient): Promise<TokenSet> {
    const { login, session } = await this.#login(request, address, (transaction, userId) =>
      this.#deps.refreshTokens.startSession(transaction, userId, userAgent),
    );
    const { user, passwordChangedAtMs } = login;
    return { ...(await this.#issueTokens({ ...session, userId: user.id, passwordChangedAtMs })), user };
  }

  /**
   * Like `login`, but for the account page: `token` goes into its cookie. Ends the session of the browser's previous
   * cookie.
   */
  async loginToAccountPage(
    request: LoginRequest,
    { address, userAgent, previousToken }: Omit<SignInClient, 'language'> & { readonly previousToken?: string },
  ): Promise<{ readonly user: User; readonly token: string }> {
    const { login, session } = await this.#login(request, address, (transaction, userId) =>
      this.#deps.browserSessions.start(transaction, { userId, userAgent, previousToken }),
    );
    return { user: login.user, token: session };
  }

  /** Signs a user in. `start` opens the session in the same write that confirms the login. */
  async #login<T>(
    request: LoginRequest,
    address: string,
    start: (transaction: Transaction, userId: string) => Promise<T>,
  ): Promise<{ readonly login: VerifiedLogin; readonly session: T }> {
    const { database, auditLog, passwords, passwordCheck, knownNetworks } = this.#deps;
    const account = await passwords.findLoginAccount(request.email);
    const signIn = async () => {
      const login = await passwordCheck.verify(account, { ...request, address });
      const { id } = login.user;
      const session = await database.write(async (transaction) => {
        await passwords.confirmLogin(transaction, login);
        await knownNetworks.remember(transaction, id, address);
        const target = accountTarget(id);
        await auditLog.record(transaction, { ...byUser(id, address), action: 'account.sign_in', target });
        return start(transaction, id);
      });
      return { login, session };
    };
    return auditLog.recordingRefusal(signIn, (error) => describeRefusedLogin(error, account, address));
  }

  /** Ends the session of the request, or every session of the user. */
  async signOut(user: SignedInUser, { allDevices, address }: LogoutContext): Promise<void> {
    const { database, accounts, refreshTokens, endSessions } = this.#deps;
    await database.write(async (transaction) => {
      if (allDevices) {
        // The account may have been deleted in the meantime.
        await lockUser(transaction, user.id);
        if (!(await accounts.findById(user.id, transaction))) return;
        await endSessions(transaction, user.id);
      } else if (!(await refreshTokens.endOwnSession(transaction, user.id, user.sessionId))) return;
      await this.#recordSignOut(transaction, user.id, { allDevices, address });
    });
  }

  /** Exchanges a refresh token as described in `refresh-token.rules.ts`. INVALID_TOKEN, TOKEN_EXPIRED. */
  async refresh(refreshToken: string, { idempotencyKey, address }: RefreshContext): Promise<RefreshedTokens> {
    const { database, auditLog, refreshTokens, knownNetworks } = this.#deps;
    const rotation = await database.write(async (transaction) => {
      const result = await refreshTokens.rotate(transaction, refreshToken, idempotencyKey);
      if (result.status === 'rotated') await knownNetworks.remember(transaction, result.userId, address);
      else if (result.reusedOf !== undefined) {
        await auditLog.record(transaction, {
          ...byAnonymous(address),
          action: 'refresh_token.reuse',
          target: accountTarget(result.reusedOf),
        });
      }
      return result;
    });
    if (rotation.status === 'rejected') throw new ApiError(rotation.code);
    return this.#issueTokens(rotation);
  }

  /**
   * Ends the session of the token; an unknown token is no error (RFC 7009 §2.2). `allDevices` ends every session of the
   * user and requires the current token of a session, otherwise INVALID_TOKEN.
   */
  async logout(refreshToken: string, { allDevices, address }: LogoutContext): Promise<void> {
    const { database, refreshTokens, endSessions } = this.#deps;
    const ended = await database.write(async (transaction) => {
      const result = await refreshTokens.endSession(transaction, refreshToken, { allDevices });
      if (!result) return undefined;
      const { userId, wasActive, wasCurrent } = result;
      const isAll = allDevices && wasCurrent;
      if (isAll) await endSessions(transaction, userId);
      if (wasActive || isAll) await this.#recordSignOut(transaction, userId, { allDevices: isAll, address });
      return result;
    });
    if (allDevices && !ended?.wasCurrent) throw new ApiError('INVALID_TOKEN');
  }

  async #recordSignOut(
    transaction: Transaction,
    userId: string,
    { allDevices, address }: LogoutContext,
  ): Promise<void> {
    await this.#deps.auditLog.record(transaction, {
      ...byUser(userId, address),
      action: 'account.sign_out',
      target: accountTarget(userId),
      details: { all_devices: allDevices },
    });
  }

  async #issueTokens({ refreshToken, ...grant }: AccessGrant & StartedSession): Promise<RefreshedTokens> {
    const { token, expiresAtMs } = await this.#deps.accessTokens.issue(grant);
    return { access_token: token, refresh_token: refreshToken, expires_at: toIso(expiresAtMs) };
  }
}

/**
 * Returns the entry about a refused login. For an unknown account, the entered email is left out, because people
 * mistakenly type passwords into that field.
 */
function describeRefusedLogin(
  error: unknown,
  account: LoginAccount | undefined,
  address: string,
): AuditEvent | undefined {
  const reason = findRefusalReason(error);
  if (!reason) return undefined;
  // With the email as it is now: the account may be gone when the entry is written.
  const target = account ? { ...accountTarget(account.user.id), label: account.user.email } : unknownAccount;
  const details = { reason: account || reason === 'too many tries' ? reason : 'unknown account' };
  return { ...byAnonymous(address), action: 'account.sign_in_refused', target, details };
}
