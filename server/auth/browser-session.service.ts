/** Sessions of the account page. Each is a secret in a cookie; the database stores only its hash. */
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { unlessUnavailable } from '../database/database-errors.ts';
import { newUuid } from '../random.ts';
import { hashSecretToken, newSecretToken } from '../secret-token.ts';
import { findBrowserSession, insertBrowserSession, updateLastUse } from './browser-session.repository.ts';
import { browserSessionTtlMs, hasEnded, isUseDue } from './browser-session.rules.ts';
import { addSession, revokeSession } from './refresh-token.repository.ts';
import { shortenUserAgent } from './refresh-token.service.ts';

type BrowserSessionServiceDeps = Pick<CommonDeps, 'database' | 'clock' | 'random'>;

/** The account that signs in, and its browser. */
type NewBrowserSession = {
  readonly userId: string;
  readonly userAgent: string;
  /** Token from the browser's existing cookie; its session ends. */
  readonly previousToken: string | undefined;
};

/** An active session, as identified by its cookie. */
type BrowserSession = { readonly sessionId: string; readonly userId: string };

export class BrowserSessionService {
  readonly #deps: BrowserSessionServiceDeps;

  constructor(deps: BrowserSessionServiceDeps) {
    this.#deps = deps;
  }

  /** Starts a session within the write that authenticated its user. Returns the secret for its cookie. */
  async start(transaction: Transaction, { userId, userAgent, previousToken }: NewBrowserSession): Promise<string> {
    const { clock, random } = this.#deps;
    const nowMs = clock.now();
    const previous = previousToken && (await findBrowserSession(transaction, hashSecretToken(previousToken)));
    if (previous) await revokeSession(transaction, { session_id: previous.id }, nowMs);
    const sessionId = newUuid(nowMs, random);
    const token = newSecretToken(random);
    await addSession(transaction, {
      id: sessionId,
      user_id: userId,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + browserSessionTtlMs,
      revoked_at_ms: null,
      user_agent: shortenUserAgent(userAgent),
    });
    await insertBrowserSession(transaction, {
      session_id: sessionId,
      token_hash: hashSecretToken(token),
      last_used_at_ms: nowMs,
    });
    return token;
  }

  /** Returns the session of the cookie; `undefined` if it is unknown or has ended. */
  async authenticate(token: string): Promise<BrowserSession | undefined> {
    const { database, clock } = this.#deps;
    const session = await findBrowserSession(database.read, hashSecretToken(token));
    const nowMs = clock.now();
    if (!session || hasEnded(session, nowMs)) return undefined;
    if (isUseDue(session, nowMs)) {
      await unlessUnavailable(database.write((transaction) => updateLastUse(transaction, session.id, nowMs)));
    }
    return { sessionId: session.id, userId: session.user_id };
  }
}
