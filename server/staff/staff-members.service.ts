/** Which accounts are staff. Depends on nothing of accounts, so that these can ask before they delete one. */
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { Database, Executor, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { listPasskeys } from './passkey.repository.ts';
import { countOthers, deleteLinksOf, findStaff } from './staff.repository.ts';

/** A member of staff who wants to do something. */
export type ActingStaff = { readonly id: string; readonly role: StaffRole };

export type StaffMembersServiceDeps = { readonly database: Pick<Database, 'read'> };

export class StaffMembersService {
  readonly #deps: StaffMembersServiceDeps;

  constructor(deps: StaffMembersServiceDeps) {
    this.#deps = deps;
  }

  /** `undefined` for an account that is not staff. */
  async findRole(userId: string, executor: Executor = this.#deps.database.read): Promise<StaffRole | undefined> {
    return (await findStaff(executor, userId))?.role;
  }

  /**
   * To set a password is to be able to sign in, so only owners and the member may set that of a member of staff. Throws `ApiError` FORBIDDEN.
   */
  async requireAuthorityOver(userId: string, staff: ActingStaff, executor?: Executor): Promise<void> {
    if (staff.role === 'owner' || staff.id === userId || (await this.findRole(userId, executor)) === undefined) return;
    throw new ApiError('FORBIDDEN', 'This account is staff: only an owner may do this.');
  }

  /** Throws `ApiError` CONFLICT for the account of a member of staff. */
  readonly requireNotStaff = async (transaction: Transaction, userId: string): Promise<void> => {
    if ((await this.findRole(userId, transaction)) === undefined) return;
    throw new ApiError(
      'CONFLICT',
      'This account is staff. Make a link for it on the Staff screen, or with "staff link".',
    );
  };

  /** Within the write that gives an account another password, or none: its one-time links end. */
  readonly voidLinks = async (transaction: Transaction, userId: string): Promise<void> => {
    await deleteLinksOf(transaction, userId);
  };

  /** What else opens the admin page as this account. */
  readonly listPasskeyNames = async (executor: Executor, userId: string): Promise<string[]> =>
    (await listPasskeys(executor, userId)).map(({ name }) => name);

  /**
   * Within the write that deletes an account, or makes it less than an owner: without an owner nobody could add another.
   * Throws `ApiError` CONFLICT for the last one.
   */
  readonly requireOtherOwner = async (transaction: Transaction, userId: string): Promise<void> => {
    await lockByName(transaction, 'staff');
    if ((await findStaff(transaction, userId))?.role !== 'owner') return;
    if ((await countOthers(transaction, 'owner', userId)) > 0) return;
    throw new ApiError('CONFLICT', 'This is the only owner. Make somebody else an owner first.');
  };
}
