/** Lists the sessions of a signed-in user and ends them. */
import type { Session } from '../../shared/api/auth.ts';
import { accountTarget, byUser } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { ApiError } from '../errors.ts';
import { isUuid } from '../random.ts';
import type { RefreshTokenService } from './refresh-token.service.ts';
import type { SignedInUser } from './signed-in-user.ts';

type SessionServiceDeps = AuditedDeps & {
  readonly refreshTokens: RefreshTokenService;
};

export class SessionService {
  readonly #deps: SessionServiceDeps;

  constructor(deps: SessionServiceDeps) {
    this.#deps = deps;
  }

  /** Returns at most 200 sessions: that of the request first, then the most recently used. */
  async list({ id, sessionId }: SignedInUser): Promise<Session[]> {
    const sessions = await this.#deps.refreshTokens.listSessions(id);
    return sessions
      .map(({ id: session_id, expires_at: _end, ...session }) => ({
        ...session,
        session_id,
        current: session_id === sessionId,
      }))
      .toSorted((one, other) => {
        const byCurrent = Number(other.current) - Number(one.current);
        return byCurrent || other.last_used_at.localeCompare(one.last_used_at);
      });
  }

  /** Ends one session. Throws `ApiError` NOT_FOUND for a session that is not the user's or has ended. */
  async end({ id: userId }: SignedInUser, sessionId: string, address: string): Promise<void> {
    const { database, auditLog, refreshTokens } = this.#deps;
    const isEnded = await database.write(async (transaction) => {
      if (!isUuid(sessionId)) return false;
      if (!(await refreshTokens.endOwnSession(transaction, userId, sessionId.toLowerCase()))) return false;
      await auditLog.record(transaction, {
        ...byUser(userId, address),
        action: 'session.end',
        target: accountTarget(userId),
        details: { all: false },
      });
      return true;
    });
    if (!isEnded) throw new ApiError('NOT_FOUND', 'You have no session with this id.');
  }
}
