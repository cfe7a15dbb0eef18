/** Adds and removes staff, and creates the one-time links with which they choose a password. */
import type { StaffMemberRecord } from '../../shared/api/admin/staff.ts';
import { includesRole, type StaffRole } from '../../shared/api/staff-role.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { Account } from '../accounts/account.ts';
import type { PasswordService } from '../accounts/password.service.ts';
import type { ApiKeyAdminService } from '../api-keys/api-key-admin.service.ts';
import { type AuditContext, type AuditDetails, accountTarget, staffIdOf } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { hasEnded } from '../auth/browser-session.rules.ts';
import { toIso } from '../clock.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { rejectMissingAccount } from '../database/database-errors.ts';
import { lockByName, lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import { isUuid } from '../random.ts';
import * as repository from './staff.repository.ts';
import { type CreatedLink, newLink } from './staff-link.ts';
import type { StaffMembersService } from './staff-members.service.ts';
import { deleteSessionsOf, listStaffSessions, type StaffSessionRow } from './staff-session.repository.ts';

type StaffAdminServiceDeps = AuditedDeps & {
  readonly accounts: AccountService;
  readonly passwords: PasswordService;
  readonly apiKeyAdmin: ApiKeyAdminService;
  readonly staffMembers: StaffMembersService;
  readonly mailQueue: MailQueueService;
};

type RoleChange = {
  readonly role: StaffRole;
  /** The role until now; `undefined` if the account is not staff yet. */
  readonly before: StaffRole | undefined;
  readonly by: AuditContext;
  readonly details?: AuditDetails;
};

export class StaffAdminService {
  readonly #deps: StaffAdminServiceDeps;

  constructor(deps: StaffAdminServiceDeps) {
    this.#deps = deps;
  }

  /** Returns all staff, in the order in which they were added. */
  async list(): Promise<StaffMemberRecord[]> {
    const { database, clock } = this.#deps;
    const rows = await repository.listStaff(database.read);
    const nowMs = clock.now();
    const sessions = (await listStaffSessions(database.read)).filter((session) => !hasEnded(session, nowMs));
    return rows.map((row) => toRecord(row, sessions));
  }

  /**
   * Gives the account with this email access to the admin page, or changes its role. Without a role, a member keeps
   * theirs and a new one becomes an owner. An account that does not exist is created without a password; one whose
   * password somebody else may know loses it, see `#removeCredentials`. Throws `ApiError` VALIDATION_ERROR, CONFLICT
   * for the last owner, FORBIDDEN if the acting member is no longer an owner.
   */
  async add(email: string, givenRole: StaffRole | undefined, by: AuditContext): Promise<StaffMemberRecord> {
    const { database } = this.#deps;
    return database.write((transaction) => this.#add(transaction, email, givenRole, by)).catch(rejectMissingAccount);
  }

  /** Adds a member like `add`, with a link like `createLink`, or neither. */
  async addWithLink(
    email: string,
    role: StaffRole,
    by: AuditContext,
  ): Promise<{ readonly member: StaffMemberRecord; readonly link: CreatedLink }> {
    const adding = this.#deps.database.write(async (transaction) => {
      const member = await this.#add(transaction, email, role, by);
      return { member, link: await this.#insertLink(transaction, member, by) };
    });
    return adding.catch(rejectMissingAccount);
  }

  /**
   * Like `add`, within the write that signs the account in: sets its role. Writes nothing for a member who already has
   * the role. Throws `ApiError` VALIDATION_ERROR, and CONFLICT for the last owner.
   */
  async admit(
    transaction: Transaction,
    { email, role }: { readonly email: string; readonly role: StaffRole },
    by: AuditContext,
  ): Promise<Account> {
    const { account, member, details } = await this.#findOrAdd(transaction, email, by);
    if (member?.role !== role) await this.#save(transaction, account, { role, before: member?.role, by, details });
    return account;
  }

  /** Sets the role of a member. Throws `ApiError` NOT_FOUND, CONFLICT for the last owner, FORBIDDEN like `add`. */
  async setRole(userId: string, role: StaffRole, by: AuditContext): Promise<StaffMemberRecord> {
    return this.#deps.database.write(async (transaction) => {
      const member = await this.#lock(transaction, userId);
      await this.#save(transaction, member, { role, before: member.role, by });
      return { ...member, role };
    });
  }

  /** Ends the access of the member, and returns what it was. The account stays. Throws `ApiError` like `setRole`. */
  async remove(userId: string, by: AuditContext): Promise<StaffMemberRecord> {
    const { database, auditLog, passwords, staffMembers, mailQueue } = this.#deps;
    return database.write(async (transaction) => {
      const member = await this.#lock(transaction, userId);
      await staffMembers.requireRole(transaction, by, 'owner');
      await staffMembers.requireOtherOwner(transaction, userId);
      // A sign-in that has ended one of the sessions may be about to start another one, which refers to the member.
      await deleteSessionsOf(transaction, userId);
      await repository.deleteStaff(transaction, userId);
      await passwords.voidInvitationsBy(transaction, userId);
      const target = accountTarget(userId);
      await auditLog.record(transaction, { ...by, action: 'staff.remove', target, details: { role: member.role } });
      await mailQueue.add(transaction, { kind: 'staff_changed', email: member.email, change: { kind: 'removed' } });
      return member;
    });
  }

  /** Returns the member with this id. Throws `ApiError` NOT_FOUND. */
  async get(userId: string, executor: Executor = this.#deps.database.read): Promise<StaffMemberRecord> {
    const row = isUuid(userId) ? await repository.findStaff(executor, userId) : undefined;
    if (!row) throw new ApiError('NOT_FOUND', 'This account is not staff.');
    const nowMs = this.#deps.clock.now();
    const sessions = (await listStaffSessions(executor, userId)).filter((session) => !hasEnded(session, nowMs));
    return toRecord(row, sessions);
  }

  /** Returns the member with this email address. Throws `ApiError` NOT_FOUND. */
  async getByEmail(email: string): Promise<StaffMemberRecord> {
    const account = await this.#deps.accounts.findByEmail(email);
    return this.get(account?.id ?? '');
  }

  /**
   * Creates a link with which the member chooses a new password. It replaces any earlier one, and becomes invalid once
   * the member who created it is no longer an owner. Throws `ApiError` NOT_FOUND, FORBIDDEN.
   */
  async createLink(userId: string, by: AuditContext): Promise<CreatedLink> {
    return this.#deps.database.write(async (transaction) =>
      this.#insertLink(transaction, await this.#lock(transaction, userId), by),
    );
  }

  /** Locks the staff until the write ends, and returns the member. Throws `ApiError` NOT_FOUND. */
  async #lock(transaction: Transaction, userId: string): Promise<StaffMemberRecord> {
    await lockByName(transaction, 'staff');
    return this.get(userId, transaction);
  }

  async #insertLink(
    transaction: Transaction,
    { id, email }: Pick<StaffMemberRecord, 'id' | 'email'>,
    by: AuditContext,
  ): Promise<CreatedLink> {
    const { auditLog, staffMembers, mailQueue } = this.#deps;
    const { link, row } = newLink(id, this.#deps);
    await staffMembers.requireRole(transaction, by, 'owner');
    // Null for an admin command.
    await repository.replaceLink(transaction, { ...row, created_by: staffIdOf(by) ?? null });
    await auditLog.record(transaction, { ...by, action: 'staff.link', target: accountTarget(id) });
    await mailQueue.add(transaction, { kind: 'staff_changed', email, change: { kind: 'link_created' } });
    return link;
  }

  async #add(
    transaction: Transaction,
    email: string,
    givenRole: StaffRole | undefined,
    by: AuditContext,
  ): Promise<StaffMemberRecord> {
    const { account, member, details } = await this.#findOrAdd(transaction, email, by);
    const role = givenRole ?? member?.role ?? 'owner';
    await this.#save(transaction, account, { role, before: member?.role, by, details });
    return this.get(account.id, transaction);
  }

  async #findOrAdd(transaction: Transaction, email: string, by: AuditContext) {
    await lockByName(transaction, 'staff');
    const account = await this.#deps.accounts.findOrAdd(transaction, email, by);
    const member = await repository.findStaff(transaction, account.id);
    const isRemoved = member === undefined && (await this.#removeCredentials(transaction, account, by));
    const details: AuditDetails = isRemoved ? { credentials_removed: true } : {};
    return { account, member, details };
  }

  async #save(
    transaction: Transaction,
    { id: userId, email }: Pick<Account, 'id' | 'email'>,
    { role, before, by, details = {} }: RoleChange,
  ): Promise<void> {
    const { clock, auditLog, passwords, staffMembers, mailQueue } = this.#deps;
    await staffMembers.requireRole(transaction, by, 'owner');
    if (role !== 'owner') await staffMembers.requireOtherOwner(transaction, userId);
    await repository.saveStaff(transaction, { user_id: userId, role, created_at_ms: clock.now() });
    if (role !== 'owner') await repository.deleteLinksBy(transaction, userId);
    if (before && !includesRole(role, before)) await passwords.voidInvitationsBy(transaction, userId);
    const target = accountTarget(userId);
    await auditLog.record(transaction, { ...by, action: 'staff.add', target, details: { role, ...details } });
    if (role === before) return;
    await mailQueue.add(transaction, { kind: 'staff_changed', email, change: { kind: 'role_set', role } });
  }

  /**
   * Removes the password, sessions, API key and links of an account that becomes staff if somebody else may know its
   * password: if nobody has confirmed the address (anybody can sign up with it), or if somebody has set the password who
   * is no owner. Returns true if it did. Invitations are voided in any case: the person who created one knows its link,
   * and may not be an owner.
   */
  async #removeCredentials(transaction: Transaction, { id, email }: Account, by: AuditContext): Promise<boolean> {
    const { accounts, passwords, apiKeyAdmin, staffMembers } = this.#deps;
    await lockUser(transaction, id);
    const account = await accounts.findById(id, transaction);
    // The owner of the account may have given it another address meanwhile.
    if (account?.email !== email)
      throw new ApiError('CONFLICT', 'This account has just changed its email address: look at it again.');
    await passwords.voidInvitations(transaction, id);
    const isTrusted = await staffMembers.isTrustedSetter(transaction, account.passwordSetBy);
    if (account.emailConfirmedAtMs !== undefined && isTrusted) return false;
    await passwords.remove(transaction, id);
    await apiKeyAdmin.revokeWithin(transaction, id, { by });
    return true;
  }
}

function toRecord(row: repository.StaffAccountRow, sessions: readonly StaffSessionRow[]): StaffMemberRecord {
  const own = sessions.filter(({ user_id }) => user_id === row.user_id);
  const [lastUsed] = own;
  return {
    id: row.user_id,
    email: row.email,
    full_name: row.full_name,
    role: row.role,
    created_at: toIso(row.created_at_ms),
    last_used_at: lastUsed ? toIso(lastUsed.last_used_at_ms) : null,
    sessions: own.length,
    passkeys: row.passkeys,
    has_password: row.password_hash !== '',
  };
}
