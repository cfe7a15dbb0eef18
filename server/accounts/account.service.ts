/** Creates, finds, changes and deletes user accounts, for sign-up and for admins. */
import type { SignupRequest, User } from '../../shared/api/auth.ts';
import { parseEmail } from '../../shared/formats/email.ts';
import { type AuditContext, accountTarget, staffIdOf } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { type Page, type PageRequest, toPage } from '../database/list.ts';
import { lockByName, lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { isUuid, newUuid } from '../random.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import * as repository from './account.repository.ts';
import { type Account, type EndSessions, type NewAccount, noPassword, toAccount, toRow } from './account.ts';
import { findHistory } from './account-history.repository.ts';
import { loadCommonPasswords } from './common-passwords.ts';
import { requireEmail } from './email.ts';
import { mayReceiveByEmail } from './email-recipient.rules.ts';
import type { Turn } from './fair-queue.ts';
import { deleteMailTokens } from './mail-token.repository.ts';
import { requireGoodPassword } from './password.rules.ts';
import type { PasswordHasher } from './password-hasher.ts';

type AccountServiceDeps = AuditedDeps & {
  readonly outbox: EventOutbox;
  readonly passwordHasher: PasswordHasher;
  readonly endSessions: EndSessions;
  /** Throws `ApiError` for an account that must not be deleted, or not on behalf of this one. */
  readonly requireRemovable: (transaction: Transaction, userId: string, by: AuditContext) => Promise<void>;
  /** Throws `ApiError` FORBIDDEN unless sessions of this account may be ended on behalf of this one. */
  readonly requireSessionAuthority: (transaction: Transaction, userId: string, by: AuditContext) => Promise<void>;
};

type NewAccountRequest = Omit<SignupRequest, 'password'> & { readonly password?: string | undefined };

type InvitationRecord = { readonly full_name: string | undefined; readonly setBy: string | undefined };

/** Each method throws `ApiError` with the codes named in its comment. */
export class AccountService {
  readonly #deps: AccountServiceDeps;

  constructor(deps: AccountServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Validates the account and hashes its password, outside the write because hashing is slow. EMAIL_EXISTS,
   * VALIDATION_ERROR.
   */
  async prepare(request: SignupRequest, turn?: Turn): Promise<NewAccount> {
    const { database, config, passwordHasher } = this.#deps;
    const email = requireEmail(request.email);
    requireGoodPassword(request.password, email, config.passwordMinLength, await loadCommonPasswords());
    if (await repository.findUserByEmailKey(database.read, email.key)) throw new ApiError('EMAIL_EXISTS');
    const passwordHash = await passwordHasher.hash(request.password, turn);
    return { ...this.prepareWithoutPassword(request), passwordHash };
  }

  /** Prepares an account without a password. VALIDATION_ERROR. */
  prepareWithoutPassword(request: Omit<SignupRequest, 'password'>): NewAccount {
    const { clock, random } = this.#deps;
    const email = requireEmail(request.email);
    const createdAtMs = clock.now();
    const user = { id: newUuid(createdAtMs, random), email: email.address, full_name: request.full_name.trim() };
    return { user, emailKey: email.key, passwordHash: noPassword, createdAtMs };
  }

  /** Returns the account with this email; creates it without a password if there is none. VALIDATION_ERROR. */
  async findOrAdd(transaction: Transaction, email: string, by: AuditContext): Promise<Account> {
    const { key } = requireEmail(email);
    const existing = await repository.findUserByEmailKey(transaction, key);
    if (existing) return toAccount(existing);
    const row = toRow(this.prepareWithoutPassword({ email, full_name: '' }));
    // Another transaction may have created the account since.
    if (!(await repository.insertUser(transaction, row))) {
      return toAccount((await repository.findUserByEmailKey(transaction, key)) ?? row);
    }
    await this.#recordCreation(transaction, row.id, by);
    return toAccount(row);
  }

  /** Inserts a prepared account. EMAIL_EXISTS if another sign-up has taken the email since `prepare`. */
  async insert(transaction: Transaction, account: NewAccount, by: AuditContext): Promise<void> {
    const isInserted = await repository.insertUser(transaction, toRow(account));
    if (!isInserted) throw new ApiError('EMAIL_EXISTS');
    await this.#recordCreation(transaction, account.user.id, by);
  }

  async #recordCreation(transaction: Transaction, id: string, by: AuditContext): Promise<void> {
    const { auditLog, outbox } = this.#deps;
    await auditLog.record(transaction, { ...by, action: 'account.create', target: accountTarget(id) });
    await outbox.add(transaction, { type: 'account.created', userId: id, data: {} });
  }

  /**
   * Creates an account for an admin, who vouches for the address. It gets no session and no trial, and a password only
   * if one is given. EMAIL_EXISTS, VALIDATION_ERROR.
   */
  async create({ password, ...request }: NewAccountRequest, by: AuditContext): Promise<Account> {
    const prepared =
      password === undefined ? this.prepareWithoutPassword(request) : await this.prepare({ ...request, password });
    const passwordSetBy = password === undefined ? undefined : staffIdOf(by);
    const account = { ...prepared, isEmailConfirmed: true, passwordSetBy };
    await this.#deps.database.write((transaction) => this.insert(transaction, account, by));
    return toAccount(toRow(account));
  }

  /** Returns the account with this email, ignoring case. USER_NOT_FOUND. */
  async getByEmail(email: string): Promise<Account> {
    return toAccount(await repository.requireUserByEmail(this.#deps.database.read, email));
  }

  /** Like `getByEmail`, but returns `undefined` if there is no such account. */
  async findByEmail(email: string, executor: Executor = this.#deps.database.read): Promise<Account | undefined> {
    const row = await repository.findUserByEmail(executor, email);
    return row && toAccount(row);
  }

  /** Returns the accounts by the emails as given; emails without an account are omitted. */
  async findByEmails(executor: Executor, emails: readonly string[]): Promise<ReadonlyMap<string, Account>> {
    const keys = emails.map((email) => parseEmail(email)?.key ?? '');
    const rows = await repository.findUsersByEmailKeys(executor, keys);
    const byKey = new Map(rows.map((row) => [row.email_key, toAccount(row)]));
    const found = new Map<string, Account>();
    for (const [index, email] of emails.entries()) {
      const account = byKey.get(keys[index] ?? '');
      if (account) found.set(email, account);
    }
    return found;
  }

  /** Returns true if staff may address the account by its email. */
  mayReceiveByEmail(account: Account): boolean {
    return mayReceiveByEmail(account, this.#deps.config);
  }

  /** Returns the account with this id. NOT_FOUND. */
  async get(id: string, executor: Executor = this.#deps.database.read): Promise<Account> {
    const account = isUuid(id) ? await this.findById(id, executor) : undefined;
    if (!account) throw new ApiError('NOT_FOUND', 'There is no account with this id.');
    return account;
  }

  /** Returns the account of a signed-in user. INVALID_TOKEN if it was deleted in the meantime. */
  async getSignedIn(id: string, executor?: Executor): Promise<Account> {
    const account = await this.findById(id, executor);
    if (!account) throw new ApiError('INVALID_TOKEN');
    return account;
  }

  /** Returns a page of all accounts, oldest first. */
  async listPage(page: PageRequest): Promise<Page<Account>> {
    return toPage((await repository.listUsers(this.#deps.database.read, page)).map(toAccount), page);
  }

  /** Deletes the account and all that belongs to it, and returns what it was. USER_NOT_FOUND, CONFLICT, FORBIDDEN. */
  async remove(email: string, by: AuditContext): Promise<Account> {
    const row = await repository.requireUserByEmail(this.#deps.database.read, email);
    await this.removeById(row.id, by);
    return toAccount(row);
  }

  /** Like `remove`, by the account's id. NOT_FOUND, CONFLICT, FORBIDDEN. */
  async removeById(id: string, by: AuditContext): Promise<void> {
    await this.get(id);
    await this.clearHistory(id, by);
    await this.#deps.database.write((transaction) => this.removeWithin(transaction, id, by));
  }

  /** Must be called before `removeWithin`, for an account with much history. CONFLICT, FORBIDDEN. */
  async clearHistory(id: string, by: AuditContext): Promise<void> {
    const { database, clock, requireRemovable } = this.#deps;
    for (;;) {
      const deletePart = await findHistory(database.read, { userId: id, nowMs: clock.now() });
      if (!deletePart) return;
      await database.write(async (transaction) => {
        await requireRemovable(transaction, id, by);
        await deletePart(transaction);
      });
    }
  }

  /** Like `removeById`, within a write. NOT_FOUND if the account was deleted in the meantime, CONFLICT, FORBIDDEN. */
  async removeWithin(transaction: Transaction, id: string, by: AuditContext): Promise<void> {
    const { auditLog, outbox, endSessions, requireRemovable } = this.#deps;
    await requireRemovable(transaction, id, by);
    // The deletion changes what billing events change before they lock the account: the customers bound to it.
    await lockByName(transaction, 'billing');
    await lockUser(transaction, id);
    await this.get(id, transaction);
    // Recorded before the deletion, while emails can still be looked up.
    await auditLog.record(transaction, { ...by, action: 'account.delete', target: accountTarget(id) });
    await outbox.add(transaction, { type: 'account.deleted', userId: id, data: {} });
    // A session that is being refreshed may be about to refer to the account, which the deletion locks against that.
    await endSessions(transaction, id);
    await repository.deleteUser(transaction, id);
  }

  /** Returns the account with this id; `undefined` if there is none. */
  async findById(id: string, executor: Executor = this.#deps.database.read): Promise<Account | undefined> {
    const row = await repository.findUserById(executor, id);
    return row && toAccount(row);
  }

  /** Records that a user has proved to receive mail at the account's address. Returns true the first time. */
  async confirmEmail(transaction: Transaction, userId: string): Promise<boolean> {
    const row = await repository.findUserById(transaction, userId);
    if (row?.email_confirmed_at_ms !== null) return false;
    await repository.updateUser(transaction, userId, { email_confirmed_at_ms: this.#deps.clock.now() });
    return true;
  }

  /** Stores the name, if the invitation has one, and who may know the password, because of having seen the link. */
  async recordInvitation(transaction: Transaction, userId: string, invitation: InvitationRecord): Promise<void> {
    const { full_name, setBy = null } = invitation;
    await repository.updateUser(transaction, userId, {
      password_set_by: setBy,
      ...(full_name !== undefined && { full_name }),
    });
  }

  /** Returns the address as it would be stored. VALIDATION_ERROR, EMAIL_EXISTS. */
  async requireFreeEmail(text: string): Promise<string> {
    const { address, key } = requireEmail(text);
    if (await repository.findUserByEmailKey(this.#deps.database.read, key)) throw new ApiError('EMAIL_EXISTS');
    return address;
  }

  /** Changes the address and voids every mailed link. Returns the old address. EMAIL_EXISTS, INVALID_TOKEN. */
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

  /** Ends every session of the account, for an admin. NOT_FOUND, FORBIDDEN. */
  async endAllSessions(id: string, by: AuditContext): Promise<void> {
    const { database, auditLog, endSessions, requireSessionAuthority } = this.#deps;
    await this.get(id);
    await database.write(async (transaction) => {
      await requireSessionAuthority(transaction, id, by);
      await lockUser(transaction, id);
      await this.get(id, transaction);
      await endSessions(transaction, id);
      await auditLog.record(transaction, {
        ...by,
        action: 'session.end',
        target: accountTarget(id),
        details: { all: true },
      });
    });
  }
}
