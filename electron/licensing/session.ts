/** The session with the server: keeps its tokens, refreshes them one at a time, and makes the calls that need them. */
import type { TokenSet, User } from '../../shared/api/auth.ts';
import type { EndpointName, ResponseOf } from '../../shared/api/endpoints.ts';
import type { SignedOutReason } from '../../shared/ipc/app-state.ts';
import { type AccessToken, isFresh, receiveAccessToken } from './access-token.ts';
import type { ApiClient, CallOptions } from './api-client.ts';
import { failureNow } from './failure.ts';
import type { Clock, Log, Random, SecretStore } from './platform.ts';
import type { ApiOutcome } from './read-answer.ts';
import { removeSession, type SessionDocument, writeSession } from './session-document.ts';

export type Session = {
  /** Who is signed in, or nobody. */
  readonly user: () => User | null;
  readonly serverAddress: () => string | null;
  /** The token that ends the session at the server; leaves the process for nothing else. */
  readonly refreshToken: () => string | null;
  /** Takes up a session that was kept. */
  readonly resume: (kept: SessionDocument) => void;
  /** Takes up a session that the server has opened just now, and keeps it. */
  readonly open: (tokens: TokenSet, serverAddress: string, serverTimeMs: number | null) => Promise<void>;
  /** Forgets the session here, in memory at once; rejects where the store cannot be cleared. */
  readonly close: () => Promise<void>;
  /** Keeps the session anew, after the way of keeping has changed. */
  readonly keep: () => Promise<void>;
  /** Waits for a refresh and for writes that are under way. */
  readonly settled: () => Promise<void>;
  /** A call with a fresh access token; one that is refused is refreshed and the call repeated once. */
  readonly call: <N extends EndpointName>(name: N, options?: CallOptions<N>) => Promise<ApiOutcome<ResponseOf<N>>>;
};

export type SessionParts = {
  readonly api: ApiClient;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The server has ended the session, conclusively. */
  readonly onEnded: (reason: SignedOutReason) => void;
};

type Fresh =
  | { readonly ok: true; readonly token: AccessToken }
  | { readonly ok: false; readonly outcome: Inconclusive };
type Inconclusive = Extract<ApiOutcome<never>, { kind: 'inconclusive' }>;

/** A session that nobody has signed in to yet. */
export function createSession(parts: SessionParts): Session {
  const { api, secrets, clock, random, log } = parts;
  let current: SessionDocument | null = null;
  let accessToken: AccessToken | null = null;
  /** Whether what is on the disk is `current` or a step before it. */
  let kept = false;
  let refreshing: Promise<Fresh> | null = null;
  /** The end of the last write: one at a time, in the order in which they were asked for. */
  let written: Promise<unknown> = Promise.resolve();

  const inconclusive = (code: string, message: string): Inconclusive => ({
    kind: 'inconclusive',
    failure: failureNow(clock, code, message),
  });

  function replaceWith(next: SessionDocument | null, token: AccessToken | null): void {
    current = next;
    accessToken = token;
    refreshing = null;
  }

  async function freshToken(): Promise<Fresh> {
    if (!current) return { ok: false, outcome: inconclusive('NOT_SIGNED_IN', 'Nobody is signed in.') };
    if (accessToken && isFresh(accessToken, clock)) return { ok: true, token: accessToken };
    if (refreshing) return refreshing;
    const flight = refresh(current);
    refreshing = flight;
    const fresh = await flight;
    if (refreshing === flight) refreshing = null;
    return fresh;
  }

  async function refresh(session: SessionDocument): Promise<Fresh> {
    const attempt = { ...session, pendingRefreshKey: session.pendingRefreshKey ?? random.uuid() };
    if (current === session) current = attempt;
    if (session.pendingRefreshKey === null && !(await store(attempt))) {
      if (current === attempt && kept) current = session;
      if (kept) return { ok: false, outcome: inconclusive('STORE_UNAVAILABLE', 'The session could not be kept.') };
    }
    const outcome = await api.call('refresh', {
      body: { refresh_token: attempt.refreshToken },
      idempotencyKey: attempt.pendingRefreshKey,
    });
    if (current !== attempt) return { ok: false, outcome: inconclusive('CANCELED', 'The session has changed.') };
    switch (outcome.kind) {
      case 'answer': {
        const token = receiveAccessToken(outcome.answer, outcome.serverTimeMs, clock);
        const next = { ...attempt, refreshToken: outcome.answer.refresh_token, pendingRefreshKey: null };
        const stored = await store(next);
        if (current !== attempt) return { ok: false, outcome: inconclusive('CANCELED', 'The session has changed.') };
        // Not kept: the old token stays with its key, which gives the same successor again.
        replaceWith(stored || !kept ? next : attempt, token);
        return { ok: true, token };
      }
      case 'refused':
        if (outcome.failure.code === 'TOKEN_EXPIRED') parts.onEnded('session-expired');
        if (outcome.failure.code === 'INVALID_TOKEN') parts.onEnded('session-revoked');
        return { ok: false, outcome: { kind: 'inconclusive', failure: outcome.failure } };
      case 'missing':
      case 'inconclusive':
        return { ok: false, outcome: { kind: 'inconclusive', failure: outcome.failure } };
    }
  }

  async function store(session: SessionDocument): Promise<boolean> {
    try {
      await inTurn(() => writeSession(secrets, session));
      kept = true;
      return true;
    } catch {
      log.warn('the session could not be kept');
      return false;
    }
  }

  function inTurn(write: () => Promise<void>): Promise<void> {
    const done = written.then(write);
    written = done.catch(() => undefined);
    return done;
  }

  async function call<N extends EndpointName>(name: N, options: CallOptions<N> = {}) {
    const account = current?.user.id;
    let fresh = await freshToken();
    for (let attempt = 1; ; attempt++) {
      if (!fresh.ok) return fresh.outcome;
      const outcome = await api.call(name, { ...options, accessToken: fresh.token.value });
      if (current?.user.id !== account) return inconclusive('CANCELED', 'The session has changed.');
      if (outcome.kind !== 'refused' || !isTokenRefusal(outcome.failure.code)) return outcome;
      if (attempt > 1) return { kind: 'inconclusive', failure: outcome.failure } as const;
      if (accessToken === fresh.token) accessToken = null;
      fresh = await freshToken();
    }
  }

  return {
    user: () => current?.user ?? null,
    serverAddress: () => current?.serverAddress ?? null,
    refreshToken: () => current?.refreshToken ?? null,
    resume: (session) => {
      kept = true;
      replaceWith(session, null);
    },
    open: async (tokens, serverAddress, serverTimeMs) => {
      const { user, refresh_token: refreshToken } = tokens;
      const session: SessionDocument = { version: 1, serverAddress, user, refreshToken, pendingRefreshKey: null };
      kept = false;
      replaceWith(session, receiveAccessToken(tokens, serverTimeMs, clock));
      await store(session);
    },
    close: async () => {
      replaceWith(null, null);
      await inTurn(() => removeSession(secrets));
    },
    keep: async () => {
      if (current) await store(current);
    },
    settled: async () => {
      await refreshing;
      await written;
    },
    call,
  };
}

function isTokenRefusal(code: string): boolean {
  return code === 'TOKEN_EXPIRED' || code === 'INVALID_TOKEN';
}
