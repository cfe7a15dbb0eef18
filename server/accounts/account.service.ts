/** Accounts: sign-up, sign-in, refresh and sign-out, and what an admin does to an account. */
import type { LoginRequest, RefreshedTokens, SignupRequest, TokenSet, User } from '../../shared/api/auth.ts';
import type { AccessTokens } from '../auth/access-token.ts';
import type { RefreshTokens } from '../auth/refresh-token.service.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database, Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { newUuid, type Random } from '../random.ts';
import * as repository from './account.repository.ts';
import { type Email, parseEmail, requireEmail } from './email.ts';
import { requireGoodPassword } from './password.rules.ts';
import type { PasswordHasher } from './password-hasher.ts';

/** An account as an admin sees it. */
export type Account = User & { readonly isStaff: boolean; readonly createdAtMs: number };

export type AccountParts = {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly passwords: PasswordHasher;
  readonly refreshTokens: RefreshTokens;
  readonly accessTokens: AccessTokens;
  readonly passwordMinLength: number;
  /** Answers an unknown email and a wrong password alike, in equal time. */
  readonly uniformLoginErrors: boolean;
  /** Runs in the transaction that creates an account, for instance to start a trial. */
  readonly onSignup?: (transaction: Transaction, userId: string) => Promise<void>;
};

export type AccountService = ReturnType<typeof createAccountService>;

export function createAccountService(parts: AccountParts) {
  return { ...createSessions(parts), ...createAccounts(parts) };
}

/** What a person does with their account. Each function throws `ApiError` with the codes of its endpoint. */
function createSessions(parts: AccountParts) {
  const { database, passwords, refreshTokens } = parts;
  return {
    /** Creates an account and signs in. EMAIL_EXISTS, VALIDATION_ERROR. */
    async signup(request: SignupRequest): Promise<TokenSet> {
      const row = await prepareUser(parts, request);
      const refreshToken = await database.write(async (transaction) => {
        if (!(await repository.insertUser(transaction, row))) throw new ApiError('EMAIL_EXISTS');
        await parts.onSignup?.(transaction, row.id);
        return refreshTokens.startFamily(transaction, row.id);
      });
      return { ...(await issue(parts, row.id, refreshToken)), user: toUser(row) };
    },

    /** Signs in. INVALID_CREDENTIALS, USER_NOT_FOUND; with uniform errors only the first. */
    async login({ email, password }: LoginRequest): Promise<TokenSet> {
      const row = await checkPassword(parts, email, password);
      const freshHash = passwords.isOutdated(row.password_hash) ? await passwords.hash(password) : undefined;
      const refreshToken = await database.write(async (transaction) => {
        const current = await repository.findUserById(transaction, row.id);
        if (current?.password_hash !== row.password_hash) throw new ApiError('INVALID_CREDENTIALS');
        if (freshHash) await repository.updateUser(transaction, row.id, { password_hash: freshHash });
        return refreshTokens.startFamily(transaction, row.id);
      });
      return { ...(await issue(parts, row.id, refreshToken)), user: toUser(row) };
    },

    /** Exchanges a refresh token; see `RefreshTokens.rotate`. INVALID_TOKEN, TOKEN_EXPIRED. */
    async refresh(refreshToken: string, idempotencyKey: string | undefined): Promise<RefreshedTokens> {
      const rotation = await database.write((transaction) =>
        refreshTokens.rotate(transaction, refreshToken, idempotencyKey),
      );
      if ('refused' in rotation) throw new ApiError(rotation.refused === 'expired' ? 'TOKEN_EXPIRED' : 'INVALID_TOKEN');
      return issue(parts, rotation.userId, rotation.refreshToken);
    },

    /**
     * Ends the session of the token, which may be unknown (RFC 7009 §2.2).
     * `allDevices` ends all sessions and wants the current token: INVALID_TOKEN otherwise.
     */
    async logout(refreshToken: string, allDevices: boolean): Promise<void> {
      const { currentOf } = await database.write(async (transaction) => {
        const ended = await refreshTokens.end(transaction, refreshToken);
        if (allDevices && ended.currentOf) await refreshTokens.endAll(transaction, ended.currentOf);
        return ended;
      });
      if (allDevices && !currentOf) throw new ApiError('INVALID_TOKEN');
    },
  };
}

/** What an admin, or another service, asks of the accounts. */
function createAccounts(parts: AccountParts) {
  const { database, clock, passwords, refreshTokens } = parts;
  const requireUser = async (email: string): Promise<repository.UserRow> => {
    const key = parseEmail(email)?.key;
    const row = key === undefined ? undefined : await repository.findUserByEmailKey(database.read, key);
    if (!row) throw new ApiError('USER_NOT_FOUND');
    return row;
  };
  return {
    /** Whether there is an account with this id. */
    exists: repository.prepareUserExists(database.read),

    /** Creates an account without signing in; starts no trial. EMAIL_EXISTS, VALIDATION_ERROR. */
    async create(request: SignupRequest): Promise<Account> {
      const row = await prepareUser(parts, request);
      const inserted = await database.write((transaction) => repository.insertUser(transaction, row));
      if (!inserted) throw new ApiError('EMAIL_EXISTS');
      return toAccount(row);
    },

    /** The account with this email, in any case. USER_NOT_FOUND. */
    find: async (email: string): Promise<Account> => toAccount(await requireUser(email)),

    /** All accounts, oldest first. */
    list: async (): Promise<Account[]> => (await repository.listUsers(database.read)).map(toAccount),

    /** Deletes the account and all that belongs to it, and returns what it was. USER_NOT_FOUND. */
    async remove(email: string): Promise<Account> {
      const row = await requireUser(email);
      await database.write((transaction) => repository.deleteUser(transaction, row.id));
      return toAccount(row);
    },

    /** Sets another password and ends every session. USER_NOT_FOUND, VALIDATION_ERROR. */
    async setPassword(email: string, password: string): Promise<Account> {
      const row = await requireUser(email);
      requireGoodPassword(password, { address: row.email, key: row.email_key }, parts.passwordMinLength);
      const hashed = await passwords.hash(password);
      await database.write(async (transaction) => {
        const update = { password_hash: hashed, password_changed_at_ms: clock.now() };
        await repository.updateUser(transaction, row.id, update);
        await refreshTokens.endAll(transaction, row.id);
      });
      return toAccount(row);
    },
  };
}

/** Checks what was asked for and hashes the password, which takes a while: outside of the write. */
async function prepareUser(parts: AccountParts, request: SignupRequest): Promise<repository.UserRow> {
  const email: Email = requireEmail(request.email);
  requireGoodPassword(request.password, email, parts.passwordMinLength);
  if (await repository.findUserByEmailKey(parts.database.read, email.key)) throw new ApiError('EMAIL_EXISTS');
  const password_hash = await parts.passwords.hash(request.password);
  const nowMs = parts.clock.now();
  return {
    id: newUuid(nowMs, parts.random),
    email: email.address,
    email_key: email.key,
    full_name: request.full_name.trim(),
    password_hash,
    is_staff: 0,
    created_at_ms: nowMs,
    password_changed_at_ms: nowMs,
  };
}

async function checkPassword(parts: AccountParts, email: string, password: string): Promise<repository.UserRow> {
  const key = parseEmail(email)?.key;
  const row = key === undefined ? undefined : await repository.findUserByEmailKey(parts.database.read, key);
  if (!row) {
    if (!parts.uniformLoginErrors) throw new ApiError('USER_NOT_FOUND');
    await parts.passwords.verifyNothing(password);
    throw new ApiError('INVALID_CREDENTIALS');
  }
  if (!(await parts.passwords.verify(password, row.password_hash))) throw new ApiError('INVALID_CREDENTIALS');
  return row;
}

async function issue(parts: AccountParts, userId: string, refreshToken: string): Promise<RefreshedTokens> {
  const access = await parts.accessTokens.issue(userId);
  return { access_token: access.token, refresh_token: refreshToken, expires_at: toIso(access.expiresAtMs) };
}

function toUser(row: repository.UserRow): User {
  return { id: row.id, email: row.email, full_name: row.full_name };
}

function toAccount(row: repository.UserRow): Account {
  return { ...toUser(row), isStaff: row.is_staff === 1, createdAtMs: row.created_at_ms };
}
