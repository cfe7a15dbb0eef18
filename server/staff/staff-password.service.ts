/** Lets members of staff change their own password on the admin page. */
import type { z } from 'zod';
import type { changeStaffPasswordRequest } from '../../shared/api/admin/session.ts';
import type { PasswordChange } from '../auth/password-change.service.ts';
import { ApiError } from '../errors.ts';
import { byStaff, type SignedInStaff } from './signed-in-staff.ts';
import { findStaff } from './staff.repository.ts';
import type { Browser, OpenedSession, StaffSessionService } from './staff-session.service.ts';

export type StaffPasswordServiceDeps = {
  readonly passwordChange: PasswordChange;
  readonly staffSessions: StaffSessionService;
};

export class StaffPasswordService {
  readonly #deps: StaffPasswordServiceDeps;

  constructor(deps: StaffPasswordServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Ends every session of the account, on the admin page and in the app, and starts one for this browser.
   * Throws `ApiError` INVALID_CREDENTIALS, VALIDATION_ERROR, RATE_LIMITED, INVALID_TOKEN.
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
      // The member may have been removed meanwhile.
      if (!(await findStaff(transaction, staff.id))) throw new ApiError('INVALID_TOKEN');
      return staffSessions.start(transaction, staff.id, browser);
    });
  }
}
