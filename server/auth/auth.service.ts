/** Signs users up and in, refreshes their sessions and signs them out. */
import type { LoginRequest, RefreshedTokens, SignupRequest, TokenSet } from '../../shared/api/auth.ts';
import type { AccountService } from '../accounts/account.service.ts';
import { toIso } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import type { AccessTokenService } from './access-token.service.ts';
import { type AccessGrant, prepareIsActive } from './refresh-token.repository.ts';
import type { RefreshTokenService, StartedFamily } from './refresh-token.service.ts';

export type AuthServiceDeps = {
  readonly database: Database;
  readonly config: Pick<Config, 'trial'>;
  readonly accounts: AccountService;
  readonly subscriptions: SubscriptionService;
  readonly accessTokens: AccessTokenService;
  readonly refreshTokens: RefreshTokenService;
};

/** Each method throws `ApiError` with the codes that its comment names. */
export class AuthService {
  readonly #deps: AuthServiceDeps;
  /** Whether the session of a verified access token goes on, under the password that the token was issued under. */
  readonly isActive: (grant: AccessGrant) => Promise<boolean>;

  constructor(deps: AuthServiceDeps) {
    this.#deps = deps;
    this.isActive = prepareIsActive(deps.database.read);
  }

  /** Creates an account, starts its trial if one is configured, and signs in. EMAIL_EXISTS, VALIDATION_ERROR. */
  async signup(request: SignupRequest): Promise<TokenSet> {
    const { database, config, accounts, subscriptions, refreshTokens } = this.#deps;
    const account = await accounts.prepare(request);
    const { user } = account;
    const family = await database.write(async (transaction) => {
      await accounts.insert(transaction, account);
      if (config.trial) await subscriptions.startTrial(transaction, user.id, config.trial);
      return refreshTokens.startFamily(transaction, user.id);
    });
    return {
      ...(await this.#issueTokens({ ...family, userId: user.id, passwordChangedAtMs: account.createdAtMs })),
      user,
    };
  }

  /** INVALID_CREDENTIALS, USER_NOT_FOUND; with uniform login errors only the first. */
  async login({ email, password }: LoginRequest): Promise<TokenSet> {
    const { database, accounts, refreshTokens } = this.#deps;
    const login = await accounts.verifyPassword(email, password);
    const { user } = login;
    const family = await database.write(async (transaction) => {
      await accounts.confirmLogin(transaction, login);
      return refreshTokens.startFamily(transaction, user.id);
    });
    const { passwordChangedAtMs } = login;
    return { ...(await this.#issueTokens({ ...family, userId: user.id, passwordChangedAtMs })), user };
  }

  /** Exchanges a refresh token, see `refresh-token.rules.ts`. INVALID_TOKEN, TOKEN_EXPIRED. */
  async refresh(refreshToken: string, idempotencyKey: string | undefined): Promise<RefreshedTokens> {
    const { database, refreshTokens } = this.#deps;
    const rotation = await database.write((transaction) =>
      refreshTokens.rotate(transaction, refreshToken, idempotencyKey),
    );
    if (rotation.status === 'rejected') throw new ApiError(rotation.code);
    return this.#issueTokens(rotation);
  }

  /**
   * Ends the session of the token, which may be unknown (RFC 7009 §2.2). `allDevices` ends every session of the user and
   * requires the current token of a session, else INVALID_TOKEN.
   */
  async logout(refreshToken: string, allDevices: boolean): Promise<void> {
    const { database, refreshTokens } = this.#deps;
    const userId = await database.write(async (transaction) => {
      const user = await refreshTokens.endFamily(transaction, refreshToken);
      if (allDevices && user) await refreshTokens.endAllFamilies(transaction, user);
      return user;
    });
    if (allDevices && !userId) throw new ApiError('INVALID_TOKEN');
  }

  async #issueTokens({ refreshToken, ...grant }: AccessGrant & StartedFamily): Promise<RefreshedTokens> {
    const { token, expiresAtMs } = await this.#deps.accessTokens.issue(grant);
    return { access_token: token, refresh_token: refreshToken, expires_at: toIso(expiresAtMs) };
  }
}
