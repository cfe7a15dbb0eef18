/** User accounts: what sign-up and login need of them, and what an admin does with them. */
import type { SignupRequest, User } from '../../shared/api/auth.ts';
import { type AuditContext, accountTarget } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.service.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database, Executor, Transaction } from '../database/database.ts';
import { isConstraintViolation } from '../database/database-errors.ts';
import type { Page } from '../database/page.ts';
import { lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { isUuid, newUuid, type Random } from '../random.ts';
import * as repository from './account.repository.ts';
import { parseEmail, requireEmail } from './email.ts';
import type { Turn } from './fair-queue.ts';
import { deleteMailTokens } from './mail-token.repository.ts';
import { requireGoodPassword } from './password.rules.ts';
import type { PasswordHasher } from './password-hasher.ts';

/** An account as an admin sees it. */
export type Account = User & {
  readonly createdAtMs: number;
  readonly passwordChangedAtMs: number;
  readonly hasPassword: boolean;
  /** `undefined` if nobody has proved to read mail to the address. */
  readonly emailConfirmedAtMs: number | undefined;
};

/** A valid account that is not in the database yet. */
export type NewAccount = {
  readonly user: User;
  readonly emailKey: string;
  readonly passwordHash: string;
  readonly createdAtMs: number;
};

/** An account that someone wants to log in to, as it was found. */
export type LoginAccount = {
  readonly user: User;
  readonly passwordHash: string;
  readonly passwordChangedAtMs: number;
};

/** A login whose password was right. */
export type VerifiedLogin = {
  readonly user: User;
  readonly passwordChangedAtMs: number;
  /** Set where the stored hash was made with other parameters than those of today. */
  readonly newPasswordHash: string | undefined;
};

export type AccountServiceDeps = {
  readonly database: Database;
  readonly config: Pick<Config, 'passwordMinLength' | 'uniformLoginErrors'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly auditLog: AuditLog;
  readonly passwords: PasswordHasher;
  /** Ends every session of a user, but for one to be kept. */
  readonly endSessions: (transaction: Transaction, userId: string, keptId?: string) => Promise<void>;
  /** Throws `ApiError` for an account that must not be deleted. */
  readonly requireRemovable: (transaction: Transaction, userId: string) => Promise<void>;
};

type NewAccountRequest = Omit<SignupRequest, 'password'> & { readonly password?: string | undefined };

/** A password that was checked and hashed, and whose it will be. */
export type NewPassword = { readonly account: Account; readonly passwordHash: string };

export type PasswordReplacement = NewPassword & {
  /** Whether the user knew the old password. */
  readonly isChange?: boolean;
  /** A session that goes on. */
  readonly keptSessionId?: string | undefined;
};

/** Who tries a password, and whether it must stay hidden that there is no such account, as the setting may also say. */
export type PasswordTry = Turn & { readonly isUniform?: boolean };

/** Stored in place of a hash for an account that has no password yet. */
const noPassword = '';

/** Each method throws `ApiError` with the codes that its comment names. */
export class AccountService {
  readonly #deps: AccountServiceDeps;

  constructor(deps: AccountServiceDeps) {
    this.#deps = deps;
  }

  /** Validates and hashes outside of the write, since hashing is slow. EMAIL_EXISTS, VALIDATION_ERROR. */
  async prepare(request: SignupRequest, turn?: Turn): Promise<NewAccount> {
    const { database, config, clock, random, passwords } = this.#deps;
    const email = requireEmail(request.email);
    requireGoodPassword(request.password, email, config.passwordMinLength);
    if (await repository.findUserByEmailKey(database.read, email.key)) throw new ApiError('EMAIL_EXISTS');
    const passwordHash = await passwords.hash(request.password, turn);
    const createdAtMs = clock.now();
    const id = newUuid(createdAtMs, random);
    const user = { id, email: email.address, full_name: request.full_name.trim() };
    return { user, emailKey: email.key, passwordHash, createdAtMs };
  }

  /** An account that has no password until one is set. VALIDATION_ERROR. */
  prepareWithoutPassword(request: Omit<SignupRequest, 'password'>): NewAccount {
    const { clock, random } = this.#deps;
    const email = requireEmail(request.email);
    const createdAtMs = clock.now();
    const user = { id: newUuid(createdAtMs, random), email: email.address, full_name: request.full_name.trim() };
    return { user, emailKey: email.key, passwordHash: noPassword, createdAtMs };
  }

  /** As of the transaction; `undefined` if there is no such account. */
  async findIn(
    transaction: Transaction,
    by: { readonly id: string } | { readonly email: string },
  ): Promise<Account | undefined> {
    if ('id' in by) {
      const row = await repository.findUserById(transaction, by.id);
      return row && toAccount(row);
    }
    const key = parseEmail(by.email)?.key;
    const row = key === undefined ? undefined : await repository.findUserByEmailKey(transaction, key);
    return row && toAccount(row);
  }

  /** The account with this email, which is created without a password if there is none. VALIDATION_ERROR. */
  async findOrAdd(transaction: Transaction, email: string, by: AuditContext): Promise<Account> {
    const { key } = requireEmail(email);
    const existing = await repository.findUserByEmailKey(transaction, key);
    if (existing) return toAccount(existing);
    const row = toRow(this.prepareWithoutPassword({ email, full_name: '' }));
    // Another transaction may have created it since.
    if (!(await repository.insertUser(transaction, row))) {
      return toAccount((await repository.findUserByEmailKey(transaction, key)) ?? row);
    }
    const target = accountTarget(row.id);
    await this.#deps.auditLog.record(transaction, { ...by, action: 'account.create', target });
    return toAccount(row);
  }

  /** Another sign-up may have taken the email since `prepare`. EMAIL_EXISTS. */
  async insert(transaction: Transaction, account: NewAccount, by: AuditContext): Promise<void> {
    const isInserted = await repository.insertUser(transaction, toRow(account));
    if (!isInserted) throw new ApiError('EMAIL_EXISTS');
    const target = accountTarget(account.user.id);
    await this.#deps.auditLog.record(transaction, { ...by, action: 'account.create', target });
  }

  /** Creates an account without a session and without a trial, maybe without a password. EMAIL_EXISTS, VALIDATION_ERROR. */
  async create({ password, ...request }: NewAccountRequest, by: AuditContext): Promise<Account> {
    const account =
      password === undefined ? this.prepareWithoutPassword(request) : await this.prepare({ ...request, password });
    await this.#deps.database.write((transaction) => this.insert(transaction, account, by));
    return toAccount(toRow(account));
  }

  /** The account that someone wants to log in to; `undefined` if there is none. */
  async findLoginAccount(email: string): Promise<LoginAccount | undefined> {
    const row = await this.#find(email);
    return row && toLoginAccount(row);
  }

  /** The same for a user who is signed in. Throws `ApiError` INVALID_TOKEN if the account was deleted meanwhile. */
  async getLoginAccount(id: string): Promise<LoginAccount> {
    const row = await repository.findUserById(this.#deps.database.read, id);
    if (!row) throw new ApiError('INVALID_TOKEN');
    return toLoginAccount(row);
  }

  /**
   * Verifies the password of the account from `findLoginAccount`; `confirmLogin` notices what changed since then.
   * INVALID_CREDENTIALS, USER_NOT_FOUND; if uniform only the first, after the same time.
   */
  async verifyPassword(account: LoginAccount | undefined, password: string, turn: PasswordTry): Promise<VerifiedLogin> {
    const { config, passwords } = this.#deps;
    const { isUniform = config.uniformLoginErrors } = turn;
    if (!account && !isUniform) throw new ApiError('USER_NOT_FOUND');
    if (!account || account.passwordHash === noPassword) {
      await passwords.verifyNothing(password, turn);
      throw new ApiError('INVALID_CREDENTIALS');
    }
    const { user, passwordHash, passwordChangedAtMs } = account;
    if (!(await passwords.verify(password, passwordHash, turn))) throw new ApiError('INVALID_CREDENTIALS');
    const newPasswordHash = passwords.isOutdated(passwordHash) ? await passwords.hash(password, turn) : undefined;
    return { user, passwordChangedAtMs, newPasswordHash };
  }

  /** Within the write that starts the session. INVALID_CREDENTIALS where the password changed since it was verified. */
  async confirmLogin(transaction: Transaction, login: VerifiedLogin): Promise<void> {
    const { user, passwordChangedAtMs, newPasswordHash } = login;
    await lockUser(transaction, user.id);
    const row = await repository.findUserById(transaction, user.id);
    if (row?.password_changed_at_ms !== passwordChangedAtMs) throw new ApiError('INVALID_CREDENTIALS');
    if (newPasswordHash) await repository.updateUser(transaction, user.id, { password_hash: newPasswordHash });
  }

  /** The account with this email, in upper or lower case. USER_NOT_FOUND. */
  async find(email: string): Promise<Account> {
    return toAccount(await this.#require(email));
  }

  /** The ids of the accounts with these emails, by the email as it is given; those without an account are missing. */
  async findIds(executor: Executor, emails: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const keys = emails.map((email) => parseEmail(email)?.key ?? '');
    const ids = await repository.findUserIdsByEmailKeys(executor, keys);
    const found = new Map<string, string>();
    for (const [index, email] of emails.entries()) {
      const id = ids.get(keys[index] ?? '');
      if (id !== undefined) found.set(email, id);
    }
    return found;
  }

  /** The account with this id. NOT_FOUND. */
  async get(id: string): Promise<Account> {
    const row = isUuid(id) ? await repository.findUserById(this.#deps.database.read, id) : undefined;
    if (!row) throw new ApiError('NOT_FOUND', 'There is no account with this id.');
    return toAccount(row);
  }

  /** A page of all accounts, oldest first. */
  async listPage(page: Page): Promise<Account[]> {
    return (await repository.listUsers(this.#deps.database.read, page)).map(toAccount);
  }

  /** Deletes the account and all that belongs to it, and returns what it was. USER_NOT_FOUND, CONFLICT. */
  async remove(email: string, by: AuditContext): Promise<Account> {
    const row = await this.#require(email);
    await this.#deps.database.write((transaction) => this.removeWithin(transaction, row.id, by));
    return toAccount(row);
  }

  /** The same within a write. CONFLICT. */
  async removeWithin(transaction: Transaction, id: string, by: AuditContext): Promise<void> {
    const { auditLog, requireRemovable } = this.#deps;
    await requireRemovable(transaction, id);
    // Before the deletion, while emails can still be looked up.
    await auditLog.record(transaction, { ...by, action: 'account.delete', target: accountTarget(id) });
    await repository.deleteUser(transaction, id);
  }

  /** Sets another password, ends every session and deletes the known networks. USER_NOT_FOUND, VALIDATION_ERROR. */
  async setPassword(email: string, password: string, by: AuditContext): Promise<Account> {
    const prepared = await this.preparePassword(email, password);
    await this.#deps.database.write((transaction) => this.applyPassword(transaction, prepared, by));
    return prepared.account;
  }

  /** Validates and hashes outside of the write, since hashing is slow. USER_NOT_FOUND, VALIDATION_ERROR. */
  async preparePassword(email: string, password: string, turn?: Turn): Promise<NewPassword> {
    const { config, passwords } = this.#deps;
    const row = await this.#require(email);
    requireGoodPassword(password, { address: row.email, key: row.email_key }, config.passwordMinLength);
    return { account: toAccount(row), passwordHash: await passwords.hash(password, turn) };
  }

  /** Within the write: sets the password, ends the sessions, voids mailed links and deletes the known networks. */
  async applyPassword(
    transaction: Transaction,
    { account, passwordHash, isChange = false, keptSessionId }: PasswordReplacement,
    by: AuditContext,
  ): Promise<void> {
    const { clock, auditLog, endSessions } = this.#deps;
    const { id } = account;
    await lockUser(transaction, id);
    const changedAtMs = (await repository.findUserById(transaction, id))?.password_changed_at_ms ?? 0;
    // Never the same time twice, whatever the clock says: access tokens name the password by it.
    const password_changed_at_ms = Math.max(clock.now(), changedAtMs + 1);
    await repository.updateUser(transaction, id, { password_hash: passwordHash, password_changed_at_ms });
    await endSessions(transaction, id, keptSessionId);
    await deleteMailTokens(transaction, id);
    // Someone who stole the old password may have signed in from one of them.
    await repository.deleteKnownNetworks(transaction, id);
    const action = isChange ? 'account.password_change' : 'account.password_reset';
    await auditLog.record(transaction, { ...by, action, target: accountTarget(id) });
  }

  /** The account with this id; `undefined` if there is none. */
  async findById(id: string, executor: Executor = this.#deps.database.read): Promise<Account | undefined> {
    const row = await repository.findUserById(executor, id);
    return row && toAccount(row);
  }

  /** Within the write, when somebody has proved to read mail to the address of the account. Whether it is the first time. */
  async confirmEmail(transaction: Transaction, userId: string): Promise<boolean> {
    const row = await repository.findUserById(transaction, userId);
    if (row?.email_confirmed_at_ms !== null) return false;
    await repository.updateUser(transaction, userId, { email_confirmed_at_ms: this.#deps.clock.now() });
    return true;
  }

  /** The address as it would be stored. VALIDATION_ERROR, EMAIL_EXISTS. */
  async requireFreeEmail(text: string): Promise<string> {
    const { address, key } = requireEmail(text);
    if (await repository.findUserByEmailKey(this.#deps.database.read, key)) throw new ApiError('EMAIL_EXISTS');
    return address;
  }

  /** Within the write, and voids every mailed link. Returns the old address. EMAIL_EXISTS, INVALID_TOKEN. */
  async changeEmail(
    transaction: Transaction,
    { id, email }: Pick<User, 'id' | 'email'>,
    by: AuditContext,
  ): Promise<string> {
    const { address, key } = requireEmail(email);
    const before = await repository.findUserById(transaction, id);
    if (!before) throw new ApiError('INVALID_TOKEN');
    const owner = await repository.findUserByEmailKey(transaction, key);
    if (owner && owner.id !== id) throw new ApiError('EMAIL_EXISTS');
    await repository.updateUser(transaction, id, { email: address, email_key: key });
    await deleteMailTokens(transaction, id);
    const details = { from: before.email, to: address };
    await this.#deps.auditLog.record(transaction, {
      ...by,
      action: 'account.email_change',
      target: accountTarget(id),
      details,
    });
    return before.email;
  }

  /** Ends every session of the account, for an admin. NOT_FOUND. */
  async endAllSessions(id: string, by: AuditContext): Promise<void> {
    const { database, auditLog, endSessions } = this.#deps;
    await this.get(id);
    await database.write(async (transaction) => {
      await endSessions(transaction, id);
      await auditLog.record(transaction, {
        ...by,
        action: 'session.end',
        target: accountTarget(id),
        details: { all: true },
      });
    });
  }

  async #find(email: string): Promise<repository.UserRow | undefined> {
    const key = parseEmail(email)?.key;
    return key === undefined ? undefined : repository.findUserByEmailKey(this.#deps.database.read, key);
  }

  async #require(email: string): Promise<repository.UserRow> {
    const row = await this.#find(email);
    if (!row) throw new ApiError('USER_NOT_FOUND');
    return row;
  }
}

/**
 * For the `catch` of a write in which only the foreign key to the account can fail: the account was deleted while its
 * request was running, and its token is no longer good. Throws `ApiError` INVALID_TOKEN for that, anything else as it is.
 */
export function rejectDeletedAccount(error: unknown): never {
  throw isConstraintViolation(error) ? new ApiError('INVALID_TOKEN') : error;
}

function toRow({ user, emailKey, passwordHash, createdAtMs }: NewAccount): repository.UserRow {
  return {
    ...user,
    email_key: emailKey,
    password_hash: passwordHash,
    is_staff: 0,
    created_at_ms: createdAtMs,
    password_changed_at_ms: createdAtMs,
    email_confirmed_at_ms: null,
  };
}

function toUser(row: repository.UserRow): User {
  return { id: row.id, email: row.email, full_name: row.full_name };
}

function toLoginAccount(row: repository.UserRow): LoginAccount {
  return { user: toUser(row), passwordHash: row.password_hash, passwordChangedAtMs: row.password_changed_at_ms };
}

function toAccount(row: repository.UserRow): Account {
  return {
    ...toUser(row),
    createdAtMs: row.created_at_ms,
    passwordChangedAtMs: row.password_changed_at_ms,
    hasPassword: row.password_hash !== noPassword,
    emailConfirmedAtMs: row.email_confirmed_at_ms ?? undefined,
  };
}
