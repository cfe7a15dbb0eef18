/** Identifies the member of staff who sent a request by the session cookie, and checks what that member may do. */
import type { FastifyRequest } from 'fastify';
import type { StaffRole } from '../../shared/api/staff-role.ts';
import { includesRole } from '../../shared/api/staff-role.ts';
import { type AuditContext, accountTarget } from '../audit/audit-event.ts';
import type { AuditLogService } from '../audit/audit-log.service.ts';
import { ApiError } from '../errors.ts';
import type { SignedInStaff } from '../staff/signed-in-staff.ts';
import type { StaffSessionService } from '../staff/staff-session.service.ts';
import { readSessionCookie } from './cookies.ts';
import { requireSameOrigin } from './request-site.ts';

type StaffAuthDeps = {
  /** The public URL of the deployment; `undefined` if it is not set. */
  readonly publicUrl: URL | undefined;
  readonly staffSessions: Pick<StaffSessionService, 'authenticate' | 'authenticateAgain'>;
  readonly auditLog: Pick<AuditLogService, 'recordRefusal'>;
};

/** Role and confirmation that an endpoint requires. */
export type Requirement = { readonly role: StaffRole; readonly confirm: boolean };

export class StaffAuth {
  readonly #deps: StaffAuthDeps;

  constructor(deps: StaffAuthDeps) {
    this.#deps = deps;
  }

  /** Rejects a request from another site if it may change something. Throws `ApiError` FORBIDDEN. */
  requireSameOrigin(request: FastifyRequest): void {
    if (request.method !== 'GET') requireSameOrigin(request, this.#deps.publicUrl);
  }

  /** Returns the signed-in member. Throws `ApiError` INVALID_TOKEN. */
  async authenticate(request: FastifyRequest): Promise<SignedInStaff> {
    const token = readSessionCookie('staff', request.cookies, request.site);
    const staff = token === undefined ? undefined : await this.#deps.staffSessions.authenticate(token);
    if (!staff) throw notSignedIn();
    return staff;
  }

  /**
   * Checks the member again once the request has arrived, since the session may have ended or the member may have lost
   * a role meanwhile. A confirmation that was valid when the request began stays valid for it. Throws `ApiError`
   * INVALID_TOKEN.
   */
  async authenticateAgain(staff: SignedInStaff | null): Promise<SignedInStaff> {
    const again = staff === null ? undefined : await this.#deps.staffSessions.authenticateAgain(staff);
    if (!again) throw notSignedIn();
    return again;
  }

  /** Throws `ApiError` FORBIDDEN or CONFIRMATION_REQUIRED if the member does not meet the requirement. */
  requirePermission(staff: SignedInStaff, { role, confirm }: Requirement): void {
    if (!includesRole(staff.role, role)) throw new ApiError('FORBIDDEN', `This requires the role ${role}.`);
    if (confirm && !staff.isConfirmed) throw new ApiError('CONFIRMATION_REQUIRED');
  }

  /** Records a request that the member's role does not allow. */
  recordRefusal(staff: SignedInStaff, endpoint: string, by: AuditContext): void {
    const event = { ...by, action: 'staff.refused', target: accountTarget(staff.id) } as const;
    this.#deps.auditLog.recordRefusal({ ...event, details: { endpoint, role: staff.role } });
  }
}

function notSignedIn(): ApiError {
  return new ApiError('INVALID_TOKEN', 'You are not signed in, or your session has ended. Sign in again.');
}
