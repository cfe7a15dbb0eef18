/** Asks a signed-in user for the password again before actions that a stolen token must not allow. */
import type { PasswordService, VerifiedLogin } from '../accounts/password.service.ts';
import { type AuditContext, accountTarget, byUser } from '../audit/audit-event.ts';
import type { AuditLogService } from '../audit/audit-log.service.ts';
import { ApiError } from '../errors.ts';
import { findRefusalReason, type PasswordCheck } from './password-check.ts';

type ReauthenticationDeps = {
  readonly passwords: PasswordService;
  readonly passwordCheck: PasswordCheck;
  readonly auditLog: AuditLogService;
};

/** The signed-in user, the password given, and the client. */
type ReauthenticationRequest = {
  readonly userId: string;
  readonly password: string;
  /** The client's IP address. */
  readonly address: string;
  /** The actor for whom a refusal is recorded. Default: the user. */
  readonly by?: AuditContext;
};

export class Reauthentication {
  readonly #deps: ReauthenticationDeps;

  constructor(deps: ReauthenticationDeps) {
    this.#deps = deps;
  }

  /**
   * Verifies the password and records a refusal. `PasswordService.confirmLogin` detects changes made after this check.
   * Throws `ApiError` INVALID_CREDENTIALS, RATE_LIMITED, INVALID_TOKEN.
   */
  async verify({
    userId,
    password,
    address,
    by = byUser(userId, address),
  }: ReauthenticationRequest): Promise<VerifiedLogin> {
    const { passwords, passwordCheck, auditLog } = this.#deps;
    const account = await passwords.getLoginAccount(userId);
    try {
      return await passwordCheck.verify(account, { email: account.user.email, password, address });
    } catch (error) {
      const reason = findRefusalReason(error);
      if (!reason) throw error;
      auditLog.recordRefusal({
        ...by,
        action: 'account.sign_in_refused',
        target: accountTarget(userId),
        details: { reason, signed_in: true },
      });
      if (reason === 'too many tries') throw error;
      throw new ApiError('INVALID_CREDENTIALS', 'The password is incorrect.');
    }
  }
}
