/** Signs staff in with a password or a one-time link, and confirms irreversible actions with a password. */
import type { z } from 'zod';
import type { redeemWelcomeRequest, welcome } from '../../shared/api/admin/session.ts';
import type { LoginRequest } from '../../shared/api/auth.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { LoginAccount, PasswordService, VerifiedLogin } from '../accounts/password.service.ts';
import { type AuditContext, accountTarget, byAnonymous, unknownAccount } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { findRefusalReason, type PasswordCheck } from '../auth/password-check.ts';
import { toIso } from '../clock.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { lockByName, lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { hashSecretToken } from '../secret-token.ts';
import { byStaff, type SignedInStaff } from './signed-in-staff.ts';
import { deleteLinksOf, findLink, findStaff, hasStaff, type StaffLinkRow, saveStaff } from './staff.repository.ts';
import type { Browser, OpenedSession, StaffSessionService } from './staff-session.service.ts';

type StaffSignInServiceDeps = AuditedDeps & {
  readonly accounts: AccountService;
  readonly passwords: PasswordService;
  readonly passwordCheck: PasswordCheck;
  readonly staffSessions: StaffSessionService;
};

type RedeemRequest = z.output<typeof redeemWelcomeRequest>;

/** Makes the recipient of a link staff with a password, within the write that uses up the link. */
type Redeem = (transaction: Transaction) => Promise<unknown>;

export class StaffSignInService {
  readonly #deps: StaffSignInServiceDeps;

  constructor(deps: StaffSignInServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Signs a staff member in. INVALID_CREDENTIALS, also for an account that is not staff
   * or does not exist; RATE_LIMITED.
   */
  async signIn(request: LoginRequest, browser: Browser): Promise<OpenedSession> {
    const { database, passwords, staffSessions } = this.#deps;
    const { address } = browser;
    const account = await passwords.findLoginAccount(request.email);
    return this.#recordingRefusal(account, byAnonymous(address), async () => {
      const login = await this.#verify(account, request, address);
      const { id } = login.user;
      if (!(await findStaff(database.read, id))) throw new NotStaff();
      return database.write(async (transaction) => {
        await passwords.confirmLogin(transaction, login);
        // The member may have been removed in the meantime.
        if (!(await findStaff(transaction, id))) throw new NotStaff();
        return staffSessions.signIn(transaction, login.user, browser, { method: 'password' });
      });
    });
  }

  /** Confirms the session with the password and replaces its secret. INVALID_CREDENTIALS, RATE_LIMITED. */
  async confirm(staff: SignedInStaff, password: string, by: AuditContext): Promise<OpenedSession> {
    const { database, passwords, staffSessions } = this.#deps;
    const account = await passwords.getLoginAccount(staff.id);
    return this.#recordingRefusal(account, by, async () => {
      const login = await this.#verify(account, { email: account.user.email, password }, by.address ?? '');
      return database.write(async (transaction) => {
        await passwords.confirmLogin(transaction, login);
        return staffSessions.confirm(transaction, staff, { by, method: 'password' });
      });
    });
  }

  /** Returns what the link is for. INVALID_TOKEN. */
  async readLink(token: string): Promise<z.output<typeof welcome>> {
    const { read } = this.#deps.database;
    const link = await this.#requireLink(read, token);
    const expires_at = toIso(link.expires_at_ms);
    if (link.user_id === null) return { kind: 'first_admin', email: null, expires_at };
    const member = await findStaff(read, link.user_id);
    return { kind: 'set_password', email: member?.email ?? null, expires_at };
  }

  /**
   * Uses up the link: sets the member's password or creates the first owner, and signs them in. INVALID_TOKEN,
   * VALIDATION_ERROR; INVALID_CREDENTIALS if the account of the first owner exists with a different password.
   */
  async redeem(request: RedeemRequest, browser: Browser): Promise<OpenedSession> {
    const { database, staffSessions } = this.#deps;
    const { user_id } = await this.#requireLink(database.read, request.token);
    const prepared =
      user_id === null
        ? await this.#prepareFirst(request, browser)
        : await this.#preparePassword(user_id, request, browser);
    const { user, redeem } = prepared;
    return database.write(async (transaction) => {
      await lockByName(transaction, 'staff');
      // A new password, which voids the link, may be on its way.
      if (user_id !== null) await lockUser(transaction, user_id);
      await this.#requireLink(transaction, request.token);
      if (user_id === null && (await hasStaff(transaction))) throw new ApiError('INVALID_TOKEN', linkProblem);
      await redeem(transaction);
      await deleteLinksOf(transaction, user_id);
      return staffSessions.signIn(transaction, user, browser, { method: 'link' });
    });
  }

  /** Prepares the password change for the member of the link. */
  async #preparePassword(userId: string, { password }: RedeemRequest, { address }: Browser) {
    const { database, passwords } = this.#deps;
    const member = await findStaff(database.read, userId);
    if (!member) throw new ApiError('INVALID_TOKEN', linkProblem);
    const user = { id: userId, email: member.email };
    const by = byStaff(user, address);
    const newPassword = await passwords.prepare(user, password);
    const redeem: Redeem = async (transaction) => passwords.apply(transaction, newPassword, by);
    return { user, redeem };
  }

  /** Prepares the first owner: an existing account, whose password must be given, or a new one. */
  async #prepareFirst({ email, password }: RedeemRequest, { address }: Browser) {
    const { clock, accounts, passwords, auditLog } = this.#deps;
    if (email === undefined) throw new ApiError('VALIDATION_ERROR', 'email is required: send it as a string.');
    const existing = await passwords.findLoginAccount(email);
    const created = existing ? undefined : await accounts.prepare({ email, password, full_name: '' });
    const user = existing?.user ?? created?.user;
    if (!user) throw new TypeError('the account neither exists nor is created');
    const by = byStaff(user, address);
    const claim = existing ? await this.#prepareClaim(existing, { email, password }, by) : undefined;
    const redeem: Redeem = async (transaction) => {
      if (created) await accounts.insert(transaction, created, by);
      await claim?.(transaction);
      await saveStaff(transaction, { user_id: user.id, role: 'owner', created_at_ms: clock.now() });
      const details = { role: 'owner' };
      await auditLog.record(transaction, { ...by, action: 'staff.add', target: accountTarget(user.id), details });
    };
    return { user, redeem };
  }

  /** Sets the given password on an account that has none; otherwise the password must be correct. */
  async #prepareClaim(account: LoginAccount, { email, password }: LoginRequest, by: AuditContext): Promise<Redeem> {
    const { accounts, passwords } = this.#deps;
    const { user, passwordHash } = account;
    if (passwordHash === '') {
      const newPassword = await passwords.prepare(user, password);
      return async (transaction) => {
        // The user may be choosing a password with a mailed link.
        await lockUser(transaction, user.id);
        if ((await accounts.findById(user.id, transaction))?.hasPassword) throw new ApiError('INVALID_CREDENTIALS');
        await passwords.apply(transaction, newPassword, by);
      };
    }
    const address = by.address ?? '';
    const login = await this.#recordingRefusal(account, byAnonymous(address), () =>
      this.#verify(account, { email, password }, address),
    );
    return (transaction) => passwords.confirmLogin(transaction, login);
  }

  /** Does not reveal whether there is such an account. */
  #verify(account: LoginAccount | undefined, request: LoginRequest, address: string): Promise<VerifiedLogin> {
    return this.#deps.passwordCheck.verify(account, { ...request, address, isUniform: true });
  }

  /**
   * Records a refusal of this work. For an unknown account the entered email is not recorded, because people mistakenly
   * type passwords into that field.
   */
  #recordingRefusal<T>(account: LoginAccount | undefined, by: AuditContext, work: () => Promise<T>): Promise<T> {
    const target = account ? accountTarget(account.user.id) : unknownAccount;
    return this.#deps.auditLog.recordingRefusal(work, (error) => {
      const reason = error instanceof NotStaff ? 'not staff' : findRefusalReason(error);
      if (!reason) return undefined;
      return {
        ...by,
        action: 'staff.sign_in_refused',
        target,
        details: { reason: account ? reason : 'unknown account' },
      };
    });
  }

  async #requireLink(executor: Executor, token: string): Promise<StaffLinkRow> {
    const link = await findLink(executor, hashSecretToken(token));
    if (!link || this.#deps.clock.now() >= link.expires_at_ms) throw new ApiError('INVALID_TOKEN', linkProblem);
    return link;
  }
}

/** The password is right, but the account is not one of staff; the response does not say so. */
class NotStaff extends ApiError {
  constructor() {
    super('INVALID_CREDENTIALS');
  }
}

const linkProblem = 'This link was used already, or is older than 24 hours. Ask for a new one.';
