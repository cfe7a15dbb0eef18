/** Verifies, checks, sets and removes the passwords of accounts, with everything that a new password ends. */
import type { User } from '../../shared/api/auth.ts';
import { type AuditContext, accountTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import * as repository from './account.repository.ts';
import {
  type Account,
  type EndSessions,
  noPassword,
  type RevokeApiKey,
  type RevokedKey,
  toAccount,
  toUser,
} from './account.ts';
import { loadCommonPasswords } from './common-passwords.ts';
import type { Turn } from './fair-queue.ts';
import { deleteMailTokens, deleteMailTokensBy, deleteMailTokensOfPurpose } from './mail-token.repository.ts';
import { requireGoodPassword } from './password.rules.ts';
import type { PasswordHasher } from './password-hasher.ts';

/** Snapshot of an account that someone wants to sign in to. */
export type LoginAccount = {
  readonly user: User;
  readonly passwordHash: string;
  readonly passwordChangedAtMs: number;
};

/** A login with the correct password. */
export type VerifiedLogin = {
  readonly user: User;
  readonly passwordChangedAtMs: number;
  /** Set if the stored hash was made with outdated parameters. */
  readonly newPasswordHash: string | undefined;
};

/** A validated and hashed password, with its future owner. */
type NewPassword = { readonly userId: string; readonly passwordHash: string };

type PasswordReplacement = NewPassword & {
  /** True if the person who sets it knew the old password. */
  readonly isChange?: boolean;
  /** Id of the other member of staff who sets it, or may know it. */
  readonly setBy?: string | undefined;
  /** Session to keep. */
  readonly keptSessionId?: string | undefined;
};

/** Queue turn of the attempt. `isUniform` hides that the account does not exist. */
type VerifyOptions = Turn & { readonly isUniform: boolean };

type PasswordServiceDeps = AuditedDeps & {
  readonly passwordHasher: PasswordHasher;
  readonly endSessions: EndSessions;
  /** Voids the one-time links with which staff choose a password. */
  readonly voidStaffLinks: (transaction: Transaction, userId: string) => Promise<void>;
  /** Returns true if only the user and owners can know a password that this member set; `undefined` is the user. */
  readonly isTrustedSetter: (transaction: Transaction, passwordSetBy: string | undefined) => Promise<boolean>;
  readonly revokeApiKey: RevokeApiKey;
};

/** Each method throws `ApiError` with the codes named in its comment. */
export class PasswordService {
  readonly #deps: PasswordServiceDeps;

  constructor(deps: PasswordServiceDeps) {
    this.#deps = deps;
  }

  /** Returns the account that someone wants to sign in to; `undefined` if there is none. */
  async findLoginAccount(email: string): Promise<LoginAccount | undefined> {
    const row = await repository.findUserByEmail(this.#deps.database.read, email);
    return row && toLoginAccount(row);
  }

  /** Returns the account of a signed-in user. Throws `ApiError` INVALID_TOKEN if it was deleted in the meantime. */
  async getLoginAccount(id: string): Promise<LoginAccount> {
    const row = await repository.findUserById(this.#deps.database.read, id);
    if (!row) throw new ApiError('INVALID_TOKEN');
    return toLoginAccount(row);
  }

  /**
   * Verifies the password of the account from `findLoginAccount`; `confirmLogin` detects changes made since then.
   * INVALID_CREDENTIALS, USER_NOT_FOUND; with uniform errors only the former, and after the same time.
   */
  async verify(account: LoginAccount | undefined, password: string, turn: VerifyOptions): Promise<VerifiedLogin> {
    const { passwordHasher } = this.#deps;
    if (!account && !turn.isUniform) throw new ApiError('USER_NOT_FOUND');
    if (!account || account.passwordHash === noPassword) {
      await passwordHasher.verifyNothing(password, turn);
      throw new ApiError('INVALID_CREDENTIALS');
    }
    const { user, passwordHash, passwordChangedAtMs } = account;
    if (!(await passwordHasher.verify(password, passwordHash, turn))) throw new ApiError('INVALID_CREDENTIALS');
    const newPasswordHash = passwordHasher.isOutdated(passwordHash)
      ? await passwordHasher.hash(password, turn)
      : undefined;
    return { user, passwordChangedAtMs, newPasswordHash };
  }

  /**
   * Confirms a verified login within the write that starts the session. INVALID_CREDENTIALS if the password has changed
   * since it was verified.
   */
  async confirmLogin(transaction: Transaction, login: VerifiedLogin): Promise<void> {
    const { user, passwordChangedAtMs, newPasswordHash } = login;
    await lockUser(transaction, user.id);
    const row = await repository.findUserById(transaction, user.id);
    if (row?.password_changed_at_ms !== passwordChangedAtMs) throw new ApiError('INVALID_CREDENTIALS');
    if (newPasswordHash) await repository.updateUser(transaction, user.id, { password_hash: newPasswordHash });
  }

  /** Minimum length of a new password, in characters. */
  get minLength(): number {
    return this.#deps.config.passwordMinLength;
  }

  /**
   * Sets a new password, ends every session and deletes the known networks; returns the API key that `apply` revoked.
   * USER_NOT_FOUND, VALIDATION_ERROR, and NOT_FOUND as in `apply`.
   */
  async set(
    email: string,
    password: string,
    by: AuditContext,
  ): Promise<{ readonly account: Account; readonly revoked: RevokedKey | undefined }> {
    const account = toAccount(await repository.requireUserByEmail(this.#deps.database.read, email));
    const prepared = await this.prepare(account, password);
    const revoked = await this.#deps.database.write((transaction) => this.apply(transaction, prepared, by));
    return { account, revoked };
  }

  /** Validates and hashes the password, outside the write because hashing is slow. VALIDATION_ERROR. */
  async prepare(user: Pick<User, 'id' | 'email'>, password: string, turn?: Turn): Promise<NewPassword> {
    const { config, passwordHasher } = this.#deps;
    requireGoodPassword(password, { address: user.email }, config.passwordMinLength, await loadCommonPasswords());
    return { userId: user.id, passwordHash: await passwordHasher.hash(password, turn) };
  }

  /**
   * Within a write, sets the password, ends the sessions, voids every link and deletes the known networks. Unless the
   * person knew the old password, it may revoke the API key (`#endsApiKey`), which is returned. NOT_FOUND if the
   * account was deleted in the meantime.
   */
  async apply(
    transaction: Transaction,
    { userId, passwordHash, isChange = false, setBy, keptSessionId }: PasswordReplacement,
    by: AuditContext,
  ): Promise<RevokedKey | undefined> {
    const { auditLog, revokeApiKey } = this.#deps;
    // Staff who set a password may have signed in as the user and changed it, and then know the new one too.
    const setter = isChange ? {} : { password_set_by: setBy ?? null };
    const before = await this.#replace(transaction, userId, { password_hash: passwordHash, ...setter }, keptSessionId);
    const action = isChange ? 'account.password_change' : 'account.password_reset';
    await auditLog.record(transaction, { ...by, action, target: accountTarget(userId) });
    if (isChange || !(await this.#endsApiKey(transaction, before, setBy))) return undefined;
    return revokeApiKey(transaction, userId, { by });
  }

  /** True if a member of staff who is no owner may know the replaced password, and so the key, but not the new one. */
  async #endsApiKey(
    transaction: Transaction,
    { password_hash, password_set_by }: repository.UserRow,
    setBy: string | undefined,
  ): Promise<boolean> {
    const { isTrustedSetter } = this.#deps;
    // Without a password, nobody could have created a key.
    if (password_hash === noPassword) return false;
    if (await isTrustedSetter(transaction, password_set_by ?? undefined)) return false;
    return isTrustedSetter(transaction, setBy);
  }

  /** Within a write, removes the password of an account, with the same effects as `apply`. */
  async remove(transaction: Transaction, userId: string): Promise<void> {
    await this.#replace(transaction, userId, { password_hash: noPassword, password_set_by: null });
  }

  /** Within a write, voids the links for choosing the first password of the account, which others have seen. */
  async voidInvitations(transaction: Transaction, userId: string): Promise<void> {
    await deleteMailTokensOfPurpose(transaction, { userId, purpose: 'set_password' });
  }

  /** Within the write that takes a role from a member of staff, voids the invitations that this member created. */
  async voidInvitationsBy(transaction: Transaction, staffId: string): Promise<void> {
    await deleteMailTokensBy(transaction, staffId);
  }

  async #replace(
    transaction: Transaction,
    userId: string,
    change: Partial<Pick<repository.UserRow, 'password_hash' | 'password_set_by'>>,
    keptSessionId?: string,
  ): Promise<repository.UserRow> {
    const { clock, endSessions, voidStaffLinks } = this.#deps;
    await lockUser(transaction, userId);
    const before = await repository.findUserById(transaction, userId);
    if (!before) throw new ApiError('NOT_FOUND', 'The account has been deleted.');
    // Always a later time, whatever the clock says: access tokens identify the password by it.
    const password_changed_at_ms = Math.max(clock.now(), before.password_changed_at_ms + 1);
    await repository.updateUser(transaction, userId, { ...change, password_changed_at_ms });
    await endSessions(transaction, userId, keptSessionId);
    await voidStaffLinks(transaction, userId);
    await deleteMailTokens(transaction, userId);
    // Someone who stole the old password may have signed in from one of these networks.
    await repository.deleteKnownNetworks(transaction, userId);
    return before;
  }
}

function toLoginAccount(row: repository.UserRow): LoginAccount {
  return { user: toUser(row), passwordHash: row.password_hash, passwordChangedAtMs: row.password_changed_at_ms };
}
