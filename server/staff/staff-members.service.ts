/**
 * Looks up which accounts are staff. Does not depend on the account services, so that they can use it before they
 * delete an account.
 */
import { includesRole, type StaffRole } from '../../shared/api/staff-role.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { Database, Executor, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { listPasskeys } from './passkey.repository.ts';
import { countOthers, deleteLinksOf, findStaff } from './staff.repository.ts';

type StaffMembersServiceDeps = { readonly database: Pick<Database, 'read'> };

export class StaffMembersService {
  readonly #deps: StaffMembersServiceDeps;

  constructor(deps: StaffMembersServiceDeps) {
    this.#deps = deps;
  }

  /** Returns the role of an account; `undefined` if it is not staff. */
  async findRole(userId: string, executor: Executor = this.#deps.database.read): Promise<StaffRole | undefined> {
    return (await findStaff(executor, userId))?.role;
  }

  /** Returns true if only the user and owners can know a password that this member set; `undefined` is the user. */
  readonly isTrustedSetter = async (transaction: Transaction, passwordSetBy: string | undefined): Promise<boolean> =>
    passwordSetBy === undefined || (await this.findRole(passwordSetBy, transaction)) === 'owner';

  /**
   * Throws `ApiError` FORBIDDEN unless this staff member may set the password of the account. Setting a password makes
   * it possible to sign in, so a staff member's password may be set only by owners and by that member.
   */
  async requireAuthorityOver(userId: string, staff: { readonly id: string }, executor?: Executor): Promise<void> {
    if (staff.id === userId || (await this.findRole(userId, executor)) === undefined) return;
    if ((await this.findRole(staff.id, executor)) === 'owner') return;
    throw new ApiError('FORBIDDEN', 'This account is staff: only an owner may do this.');
  }

  /**
   * Throws `ApiError` FORBIDDEN if the present role of the acting member of staff does not include the given one. Must
   * be called with the lock `staff`, within a write that gives or takes access: the member may have lost the role since
   * the request began. Commands and the identity provider act as owners.
   */
  readonly requireRole = async (transaction: Transaction, { actor }: AuditContext, role: StaffRole): Promise<void> => {
    if (actor.kind !== 'staff') return;
    const present = await this.findRole(actor.id, transaction);
    if (present !== undefined && includesRole(present, role)) return;
    throw new ApiError('FORBIDDEN', `This requires the role ${role}.`);
  };

  /**
   * Runs within the write that ends the sessions of an account. Throws `ApiError` FORBIDDEN like `requireRole`, and like
   * `requireAuthorityOver`: ending a member's sessions signs the member out of the admin page.
   */
  readonly requireSessionAuthority = async (
    transaction: Transaction,
    userId: string,
    by: AuditContext,
  ): Promise<void> => {
    if (by.actor.kind !== 'staff') return;
    await lockByName(transaction, 'staff');
    await this.requireRole(transaction, by, 'support');
    await this.requireAuthorityOver(userId, by.actor, transaction);
  };

  /** Throws `ApiError` CONFLICT for the account of a member of staff. */
  readonly requireNotStaff = async (transaction: Transaction, userId: string): Promise<void> => {
    if ((await this.findRole(userId, transaction)) === undefined) return;
    throw new ApiError(
      'CONFLICT',
      'This account is staff. Make a link for it on the Staff screen, or with "staff link".',
    );
  };

  /** Voids the account's one-time links, within the write that changes or removes its password. */
  readonly voidLinks = async (transaction: Transaction, userId: string): Promise<void> => {
    await deleteLinksOf(transaction, userId);
  };

  /** Returns the names of the passkeys that give the account access to the admin page. */
  readonly listPasskeyNames = async (executor: Executor, userId: string): Promise<string[]> =>
    (await listPasskeys(executor, userId)).map(({ name }) => name);

  /**
   * Runs within the write that deletes an account. Throws `ApiError` CONFLICT for the last owner, FORBIDDEN like
   * `requireRole`.
   */
  readonly requireRemovable = async (transaction: Transaction, userId: string, by: AuditContext): Promise<void> => {
    await this.requireOtherOwner(transaction, userId);
    await this.requireRole(transaction, by, 'owner');
  };

  /**
   * Runs within the write that deletes an account or demotes an owner: without an owner nobody could add another one.
   * Throws `ApiError` CONFLICT for the last owner.
   */
  async requireOtherOwner(transaction: Transaction, userId: string): Promise<void> {
    await lockByName(transaction, 'staff');
    if ((await findStaff(transaction, userId))?.role !== 'owner') return;
    if ((await countOthers(transaction, 'owner', userId)) > 0) return;
    throw new ApiError('CONFLICT', 'This is the only owner. Make somebody else an owner first.');
  }
}
