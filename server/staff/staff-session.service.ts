/** Staff sessions. Each is a secret in a cookie; the database stores only its hash. */
import type { z } from 'zod';
import type { StaffSession, staffSessions } from '../../shared/api/admin/session.ts';
import { type AuditContext, accountTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { browserSessionTtlMs, hasEnded, isUseDue } from '../auth/browser-session.rules.ts';
import type { KnownNetworks } from '../auth/known-networks.ts';
import { shortenUserAgent } from '../auth/refresh-token.service.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { unlessUnavailable } from '../database/database-errors.ts';
import { ApiError } from '../errors.ts';
import { isUuid, newUuid } from '../random.ts';
import { hashSecretToken, newSecretToken } from '../secret-token.ts';
import { listPasskeys } from './passkey.repository.ts';
import { byStaff, type SignedInStaff } from './signed-in-staff.ts';
import * as repository from './staff-session.repository.ts';

/** A started or confirmed session, with the secret for its cookie. */
export type OpenedSession = { readonly id: string; readonly token: string };

/** Browser that is used to sign in. */
export type Browser = {
  readonly address: string;
  readonly userAgent: string;
  /** Token from the browser's existing cookie; its session ends. */
  readonly previousToken?: string;
};

/** How a member proved their identity, as the audit log names it. */
type Method = 'password' | 'link' | 'passkey' | 'single sign-on';

type StaffSessionServiceDeps = AuditedDeps & {
  readonly knownNetworks: KnownNetworks;
};

/** Maximum number of sessions per member. Beyond it, the least recently used session ends. */
const maxSessions = 20;
/** How long a confirmation is valid, in ms. */
const confirmedForMs = 5 * 60_000;

export class StaffSessionService {
  readonly #deps: StaffSessionServiceDeps;

  constructor(deps: StaffSessionServiceDeps) {
    this.#deps = deps;
  }

  /** Returns the staff member of the cookie; `undefined` if the session is unknown or has ended. */
  async authenticate(token: string): Promise<SignedInStaff | undefined> {
    const { database, clock } = this.#deps;
    const row = await repository.findStaffSession(database.read, { token_hash: hashSecretToken(token) });
    const nowMs = clock.now();
    if (!row || hasEnded(row, nowMs)) return undefined;
    if (isUseDue(row, nowMs)) {
      const used = { last_used_at_ms: nowMs };
      await unlessUnavailable(
        database.write((transaction) => repository.updateStaffSession(transaction, row.id, used)),
      );
    }
    return {
      id: row.user_id,
      email: row.email,
      role: row.role,
      sessionId: row.id,
      isConfirmed: readConfirmedUntil(row, nowMs) !== undefined,
    };
  }

  /**
   * Checks a known session again, even if its secret has changed since, and returns it with the current role and email;
   * `undefined` if it has ended.
   */
  async authenticateAgain(staff: SignedInStaff): Promise<SignedInStaff | undefined> {
    const { database, clock } = this.#deps;
    const row = await repository.findStaffSession(database.read, { id: staff.sessionId });
    return !row || hasEnded(row, clock.now()) ? undefined : { ...staff, email: row.email, role: row.role };
  }

  /**
   * Records the sign-in and starts a session, in the same write that has authenticated the member. `confirmedAtMs` is
   * when the member proved their identity, if that was before now.
   */
  async signIn(
    transaction: Transaction,
    member: Pick<SignedInStaff, 'id' | 'email'>,
    browser: Browser,
    { method, confirmedAtMs }: { readonly method: Method; readonly confirmedAtMs?: number },
  ): Promise<OpenedSession> {
    const [by, target] = [byStaff(member, browser.address), accountTarget(member.id)];
    await this.#deps.auditLog.record(transaction, { ...by, action: 'staff.sign_in', target, details: { method } });
    return this.start(transaction, member.id, browser, confirmedAtMs);
  }

  /** Starts a session as `signIn` does, without an entry. */
  async start(
    transaction: Transaction,
    userId: string,
    browser: Browser,
    confirmedAtMs?: number,
  ): Promise<OpenedSession> {
    const { address, userAgent, previousToken } = browser;
    const { clock, random, knownNetworks } = this.#deps;
    const nowMs = clock.now();
    await knownNetworks.remember(transaction, userId, address);
    await repository.deleteExpiredSessions(transaction, nowMs);
    if (previousToken !== undefined) await repository.deleteSessionByToken(transaction, hashSecretToken(previousToken));
    const earlier = await repository.listStaffSessions(transaction, userId);
    for (const { id } of earlier.slice(maxSessions - 1))
      await repository.deleteStaffSession(transaction, { id, user_id: userId });
    const id = newUuid(nowMs, random);
    const token = newSecretToken(this.#deps.random);
    await repository.insertStaffSession(transaction, {
      id,
      token_hash: hashSecretToken(token),
      user_id: userId,
      created_at_ms: nowMs,
      last_used_at_ms: nowMs,
      expires_at_ms: nowMs + browserSessionTtlMs,
      confirmed_at_ms: Math.min(confirmedAtMs ?? nowMs, nowMs),
      address,
      user_agent: shortenUserAgent(userAgent),
    });
    return { id, token };
  }

  /**
   * Records that the member proved their identity again, and replaces the secret of the session. Throws `ApiError`
   * INVALID_TOKEN.
   */
  async confirm(
    transaction: Transaction,
    { id, sessionId }: Pick<SignedInStaff, 'id' | 'sessionId'>,
    { by, method }: { readonly by: AuditContext; readonly method: Method },
  ): Promise<OpenedSession> {
    const { auditLog, clock, random } = this.#deps;
    const target = accountTarget(id);
    await auditLog.record(transaction, { ...by, action: 'staff.confirm', target, details: { method } });
    const nowMs = clock.now();
    const token = newSecretToken(random);
    const change = { token_hash: hashSecretToken(token), last_used_at_ms: nowMs, confirmed_at_ms: nowMs };
    if (!(await repository.updateStaffSession(transaction, sessionId, change))) throw new ApiError('INVALID_TOKEN');
    return { id: sessionId, token };
  }

  /**
   * Locks the session, so that nobody can end it during a write that gives the member something that outlasts it.
   * Throws `ApiError` INVALID_TOKEN if it has already ended.
   */
  async requireOpen(transaction: Transaction, sessionId: string): Promise<void> {
    await repository.lockStaffSession(transaction, sessionId);
    const row = await repository.findStaffSession(transaction, { id: sessionId });
    if (!row) throw new ApiError('INVALID_TOKEN');
  }

  /** Returns what the page shows about the session. Throws `ApiError` INVALID_TOKEN. */
  async describe(sessionId: string, canUsePasskeys: boolean): Promise<StaffSession> {
    const { database, clock } = this.#deps;
    const row = await repository.findStaffSession(database.read, { id: sessionId });
    if (!row) throw new ApiError('INVALID_TOKEN');
    const confirmedUntilMs = readConfirmedUntil(row, clock.now());
    return {
      staff: { id: row.user_id, email: row.email, full_name: row.full_name, role: row.role },
      passkeys: (await listPasskeys(database.read, row.user_id)).length,
      can_use_passkeys: canUsePasskeys,
      has_password: row.password_hash !== '',
      confirmed_until: toIsoOrNull(confirmedUntilMs),
      expires_at: toIso(row.expires_at_ms),
    };
  }

  /** Returns the member's sessions that have not ended, most recently used first. */
  async list({ id, sessionId }: SignedInStaff): Promise<z.output<typeof staffSessions>> {
    const { database, clock } = this.#deps;
    const nowMs = clock.now();
    const rows = await repository.listStaffSessions(database.read, id);
    const sessions = rows
      .filter((row) => !hasEnded(row, nowMs))
      .map((row) => ({
        id: row.id,
        created_at: toIso(row.created_at_ms),
        last_used_at: toIso(row.last_used_at_ms),
        expires_at: toIso(row.expires_at_ms),
        address: row.address,
        user_agent: row.user_agent,
        current: row.id === sessionId,
      }));
    return { sessions };
  }

  /** Ends one session of the member. Throws `ApiError` NOT_FOUND. */
  async end(staffId: string, sessionId: string, by: AuditContext): Promise<void> {
    const isFound = isUuid(sessionId) && (await this.signOut({ id: staffId, sessionId }, by));
    if (!isFound) throw new ApiError('NOT_FOUND', 'There is no such session.');
  }

  /** Ends the session. Returns false if it has already ended. */
  async signOut({ id, sessionId }: Pick<SignedInStaff, 'id' | 'sessionId'>, by: AuditContext): Promise<boolean> {
    const { database, auditLog } = this.#deps;
    return database.write(async (transaction) => {
      if (!(await repository.deleteStaffSession(transaction, { id: sessionId, user_id: id }))) return false;
      await auditLog.record(transaction, { ...by, action: 'staff.session_end', target: accountTarget(id) });
      return true;
    });
  }

  /** Ends every session, except the one to keep, of an account that may be staff. */
  readonly endAll = async (transaction: Transaction, userId: string, keptId?: string): Promise<void> => {
    await repository.deleteSessionsOf(transaction, userId, keptId);
  };
}

/** Returns until when irreversible actions need no further confirmation; `undefined` if they need one now. */
export function readConfirmedUntil(
  { confirmed_at_ms }: { readonly confirmed_at_ms: number },
  nowMs: number,
): number | undefined {
  const untilMs = confirmed_at_ms + confirmedForMs;
  return nowMs >= confirmed_at_ms && nowMs < untilMs ? untilMs : undefined;
}
