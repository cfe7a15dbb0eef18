/** Sets passwords from the admin page: those of staff themselves and of accounts. */
import type { z } from 'zod';
import type { changeStaffPasswordRequest } from '../../shared/api/admin/session.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { PasswordService } from '../accounts/password.service.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { PasswordChangeService } from '../auth/password-change.service.ts';
import type { CommonDeps } from '../common-deps.ts';
import { lockByName } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import { byStaff, type SignedInStaff } from './signed-in-staff.ts';
import { findStaff } from './staff.repository.ts';
import type { StaffMembersService } from './staff-members.service.ts';
import type { Browser, OpenedSession, StaffSessionService } from './staff-session.service.ts';

type StaffPasswordServiceDeps = CommonDeps & {
  readonly accounts: AccountService;
  readonly passwords: PasswordService;
  readonly passwordChange: PasswordChangeService;
  readonly staffMembers: StaffMembersService;
  readonly mailQueue: MailQueueService;
  readonly staffSessions: StaffSessionService;
};

export class StaffPasswordService {
  readonly #deps: StaffPasswordServiceDeps;

  constructor(deps: StaffPasswordServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Changes the password, ends every session of the account on the admin page and in the app, and starts one for this
   * browser. Throws `ApiError` INVALID_CREDENTIALS, VALIDATION_ERROR, RATE_LIMITED, INVALID_TOKEN.
   */
  change(
    staff: SignedInStaff,
    request: z.output<typeof changeStaffPasswordRequest>,
    browser: Browser,
  ): Promise<OpenedSession> {
    const { passwordChange, staffSessions } = this.#deps;
    const { address } = browser;
    const change = { userId: staff.id, by: byStaff(staff, address), request };
    return passwordChange.changeOfStaff(change, { address, language: request.language }, async (transaction) => {
      // The member may have been removed in the meantime.
      if (!(await findStaff(transaction, staff.id))) throw new ApiError('INVALID_TOKEN');
      return staffSessions.start(transaction, staff.id, browser);
    });
  }

  /**
   * Sets the password of an account; that of a member of staff can be set only by an owner or that member. If the
   * account becomes staff while the member who set its password is no owner, it loses that password. The owner of the
   * account is notified by mail. Throws `ApiError` NOT_FOUND, VALIDATION_ERROR, FORBIDDEN.
   */
  async setOfAccount(staff: SignedInStaff, userId: string, password: string, by: AuditContext): Promise<void> {
    const { database, accounts, passwords, staffMembers, mailQueue } = this.#deps;
    const { email } = await accounts.get(userId);
    await staffMembers.requireAuthorityOver(userId, staff);
    const prepared = await passwords.prepare({ id: userId, email }, password);
    await database.write(async (transaction) => {
      // The account may have become staff meanwhile, and the acting member may have lost the role.
      await lockByName(transaction, 'staff');
      await staffMembers.requireRole(transaction, by, 'support');
      await staffMembers.requireAuthorityOver(userId, staff, transaction);
      const setBy = staff.id === userId ? undefined : staff.id;
      const revoked = await passwords.apply(transaction, { ...prepared, setBy }, by);
      if (staff.id !== userId && (await findStaff(transaction, userId))) {
        await mailQueue.add(transaction, { kind: 'staff_changed', email, change: { kind: 'password_set' } });
      } else {
        const passkeys = await staffMembers.listPasskeyNames(transaction, userId);
        const key = revoked && { key_prefix: revoked.api_key_prefix };
        await mailQueue.add(transaction, { kind: 'password_changed', email, passkeys, ...key });
      }
    });
  }
}
