/** The session with the server: stores its refresh token, refreshes it, and makes calls that need an access token. */
import { z } from 'zod';
import { type RefreshedTokens, type TokenSet, type User, user } from '../../shared/api/auth.ts';
import type { EndpointName, ResponseOf } from '../../shared/api/endpoints.ts';
import type { SignedOutReason } from '../../shared/ipc/app-state.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { type AccessToken, isFresh, receiveAccessToken } from './access-token.ts';
import type { ApiClient, CallOptions } from './api-client.ts';
import type { ApiResult } from './api-response.ts';
import { failureNow } from './failure.ts';
import { fileProblemOf } from './file-problem.ts';
import type { Clock, Log, Random, SecretStore } from './platform.ts';
import { SerialQueue } from './serial-queue.ts';
import { readDocument } from './stored-document.ts';

const documentName = 'session';

const sessionDocument = z.object({
  version: z.literal(1),
  serverAddress: z.string(),
  user,
  refreshToken: z.string().min(1),
  /** Idempotency key of a refresh whose new token is not stored yet. The name is part of the stored format. */
  pendingRefreshKey: z.string().nullable(),
  /** The address before the app's default changed, for the license stored under it. Missing in earlier versions. */
  movedFrom: z.string().nullable().default(null),
  /**
   * True if signed in at another server than the app's: it never moves to the app's. Missing in earlier versions.
   */
  staysThere: z.boolean().default(false),
});
type SessionDocument = z.infer<typeof sessionDocument>;

const pendingEmail = z.object({
  email: z.string(),
  /** Trusted time. */
  sentAtMs: z.number(),
});
/** The new email address that a confirmation link was sent to. */
type PendingEmail = z.infer<typeof pendingEmail>;

/** Earlier versions did not store the pending change. */
const storedSession = sessionDocument.extend({ pendingEmail: pendingEmail.nullable().catch(null).default(null) });

/**
 * `storage` is `disk` once this session is on disk, perhaps one refresh behind; a refresh must not get further ahead of
 * the disk than that.
 */
type State =
  | { readonly kind: 'signed-out' }
  /** The next call refreshes the token. */
  | { readonly kind: 'stale'; readonly document: SessionDocument; readonly storage: Storage }
  | {
      readonly kind: 'fresh';
      readonly document: SessionDocument;
      readonly storage: Storage;
      readonly accessToken: AccessToken;
    }
  /** All calls wait for `result`. */
  | {
      readonly kind: 'refreshing';
      readonly document: SessionDocument;
      readonly storage: Storage;
      readonly result: Promise<TokenResult>;
    };
type Storage = 'disk' | 'memory';

type TokenResult =
  | { readonly ok: true; readonly token: AccessToken }
  | { readonly ok: false; readonly failure: Failure };

type SessionCall<N extends EndpointName> = CallOptions<N> | ((refreshToken: string) => CallOptions<N>);

type SessionDeps = {
  readonly api: ApiClient;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

export class Session {
  readonly #deps: SessionDeps;
  readonly #writes = new SerialQueue();
  readonly #endListeners = new Set<(reason: SignedOutReason) => void>();
  readonly #moveListeners = new Set<(serverAddress: string) => void>();
  #state: State = { kind: 'signed-out' };
  #pendingEmail: PendingEmail | null = null;
  /** State of the stored document: `newer` and `unreadable` are set aside before a write. */
  #stored: 'own' | 'newer' | 'unreadable' = 'own';
  /** Why the last write failed. */
  #storeProblem: Pick<Failure, 'fileProblem'> = {};
  /** Address to which the session moves once the server there has answered a refresh. */
  #movesTo: string | null = null;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** The signed-in user, or `null`. */
  get user(): User | null {
    return this.#document?.user ?? null;
  }

  get serverAddress(): string | null {
    return this.#document?.serverAddress ?? null;
  }

  /** True if the next start finds the session. */
  get isStored(): boolean {
    return this.#state.kind !== 'signed-out' && this.#state.storage === 'disk';
  }

  /** Why the next start does not find it, as far as known. */
  get storeProblem(): Pick<Failure, 'fileProblem'> {
    return this.#storeProblem;
  }

  /** The earlier address of the same server, or `null`. */
  get movedFrom(): string | null {
    return this.#document?.movedFrom ?? null;
  }

  /** The pending change of the email address; it ends with the session. */
  get pendingEmail(): PendingEmail | null {
    return this.#pendingEmail;
  }

  /** All secrets of the session, to be kept out of support files. */
  get secrets(): readonly string[] {
    const { refreshToken = '', pendingRefreshKey = '' } = this.#document ?? {};
    const accessToken = this.#state.kind === 'fresh' ? this.#state.accessToken.value : '';
    return [refreshToken, pendingRefreshKey ?? '', accessToken].filter((secret) => secret !== '');
  }

  /** For `/auth/logout` and `/auth/password` only. */
  get refreshToken(): string | null {
    return this.#document?.refreshToken ?? null;
  }

  /** Calls back when the server has conclusively ended the session. */
  onEnded(listener: (reason: SignedOutReason) => void): void {
    this.#endListeners.add(listener);
  }

  /** Calls back once the server has answered at its new address and that is stored. */
  onMoved(listener: (serverAddress: string) => void): void {
    this.#moveListeners.add(listener);
  }

  /**
   * Restores a stored session of this server. One of another server is used only if `mayMove`: if the app's address has
   * changed, the same server may be there. If it does not know the session, that stays stored for the old address.
   * Without an address, it stays stored for the server that the user will choose.
   */
  async restore(
    serverAddress: string | null,
    { mayMove }: { readonly mayMove: boolean },
  ): Promise<'restored' | 'absent' | 'unreadable' | 'other-server'> {
    const read = await readDocument(this.#deps.secrets, documentName, storedSession);
    this.#stored = read.kind === 'unreadable' ? 'unreadable' : read.kind === 'value' && read.isNewer ? 'newer' : 'own';
    if (read.kind !== 'value') return read.kind;
    if (serverAddress === null) return 'absent';
    const moves = read.value.serverAddress !== serverAddress;
    if (moves && (!mayMove || read.value.staysThere)) return 'other-server';
    this.#movesTo = moves ? serverAddress : null;
    const { pendingEmail, ...document } = read.value;
    this.#pendingEmail = pendingEmail;
    this.#state = { kind: 'stale', document, storage: 'disk' };
    return 'restored';
  }

  /**
   * Starts and stores a session that the server has just opened; works in memory if storing fails. Returns whether it
   * is stored.
   */
  async open(
    tokens: TokenSet,
    { serverAddress, staysThere }: Pick<SessionDocument, 'serverAddress' | 'staysThere'>,
    serverTimeMs: number | null,
  ): Promise<boolean> {
    const { user, refresh_token: refreshToken } = tokens;
    const accessToken = receiveAccessToken(tokens, serverTimeMs, this.#deps.clock);
    const fields = { serverAddress, user, refreshToken, pendingRefreshKey: null, movedFrom: null, staysThere };
    const document: SessionDocument = { version: 1, ...fields };
    this.#movesTo = null;
    this.#state = { kind: 'fresh', document, storage: 'memory', accessToken };
    this.#pendingEmail = null;
    return this.#write(document);
  }

  /** Records that a link was sent to a new address; `null` once that is void. */
  async awaitEmail(pending: PendingEmail | null): Promise<void> {
    this.#pendingEmail = pending;
    await this.save();
  }

  /** Records the account's changed email address. Not stored during a refresh: the next response has it again. */
  async changeEmail(email: string): Promise<void> {
    this.#pendingEmail = null;
    const state = this.#state;
    if (state.kind !== 'fresh' && state.kind !== 'stale') return;
    const document = { ...state.document, user: { ...state.document.user, email } };
    this.#state = { ...state, document };
    await this.#write(document);
  }

  /** Forgets the session in memory; it stays stored. */
  forget(): void {
    this.#state = { kind: 'signed-out' };
    this.#pendingEmail = null;
    this.#movesTo = null;
  }

  /** Forgets the session, in memory at once; rejects if the store can neither remove nor overwrite it. */
  async close(): Promise<void> {
    const { secrets } = this.#deps;
    this.forget();
    // An unreadable document is not this session's.
    if (this.#stored === 'unreadable') return;
    await this.#writes.run(() => secrets.remove(documentName).catch(() => secrets.write(documentName, '')));
  }

  /**
   * Writes the session to the store, e.g. after the storage has changed, and after any refresh in progress, which has
   * its own order of writes. Never rejects.
   */
  async save(): Promise<void> {
    while (this.#state.kind === 'refreshing') await this.#state.result;
    if (this.#state.kind !== 'signed-out') await this.#write(this.#state.document);
  }

  /** Waits for a refresh and for writes in progress. */
  async flush(): Promise<void> {
    if (this.#state.kind === 'refreshing') await this.#state.result;
    await this.#writes.idle();
  }

  /**
   * Makes a call with a fresh access token. `options` may be computed from the refresh token at that time. If the
   * server rejects the token, refreshes it and repeats the call once.
   */
  async call<N extends EndpointName>(name: N, options: SessionCall<N> = {}): Promise<ApiResult<ResponseOf<N>>> {
    const userId = this.user?.id;
    let fresh = await this.#freshToken();
    for (let attempt = 1; ; attempt++) {
      if (!fresh.ok) return { kind: 'inconclusive', failure: fresh.failure };
      const given = typeof options === 'function' ? options(this.refreshToken ?? '') : options;
      const result = await this.#deps.api.call(name, { ...given, accessToken: fresh.token.value });
      if (this.user?.id !== userId) return { kind: 'inconclusive', failure: this.#canceled() };
      if (result.kind !== 'error' || endReason(result.failure.code) === null) return result;
      if (attempt > 1) return { kind: 'inconclusive', failure: result.failure };
      this.#discard(fresh.token);
      fresh = await this.#freshToken();
    }
  }

  /** Returns NOT_SIGNED_IN if nobody is signed in. */
  signedOutFailure(): Failure | null {
    return this.user ? null : this.#notSignedIn();
  }

  #notSignedIn(): Failure {
    return failureNow(this.#deps.clock, 'NOT_SIGNED_IN', 'Nobody is signed in.');
  }

  get #document(): SessionDocument | null {
    return this.#state.kind === 'signed-out' ? null : this.#state.document;
  }

  async #freshToken(): Promise<TokenResult> {
    const state = this.#state;
    if (state.kind === 'signed-out') return { ok: false, failure: this.#notSignedIn() };
    if (state.kind === 'refreshing') return state.result;
    if (state.kind === 'fresh' && isFresh(state.accessToken, this.#deps.clock))
      return { ok: true, token: state.accessToken };
    return this.#startRefresh(state.document, state.storage);
  }

  #discard(token: AccessToken): void {
    const state = this.#state;
    if (state.kind !== 'fresh' || state.accessToken !== token) return;
    this.#state = { kind: 'stale', document: state.document, storage: state.storage };
  }

  #startRefresh(previous: SessionDocument, storage: Storage): Promise<TokenResult> {
    const key = previous.pendingRefreshKey ?? this.#deps.random.uuid();
    const attempt = { ...previous, pendingRefreshKey: key };
    // Its write is queued now: a session that is opened meanwhile is written after it.
    const result = this.#refresh(previous, attempt, key);
    this.#state = { kind: 'refreshing', document: attempt, storage, result };
    return result;
  }

  /** The idempotency key is stored before it is sent, so that a lost response does not lose the session. */
  async #refresh(previous: SessionDocument, attempt: SessionDocument, key: string): Promise<TokenResult> {
    const stored = await (previous.pendingRefreshKey !== null || this.#write(attempt));
    let storage = this.#storageDuring(attempt);
    if (storage === null) return { ok: false, failure: this.#canceled() };
    if (!stored && storage === 'disk') {
      this.#state = { kind: 'stale', document: previous, storage };
      const message = 'The session could not be stored.';
      return { ok: false, failure: failureNow(this.#deps.clock, 'STORE_UNAVAILABLE', message, this.#storeProblem) };
    }
    const result = await this.#deps.api.call('refresh', {
      body: { refresh_token: attempt.refreshToken },
      idempotencyKey: key,
    });
    storage = this.#storageDuring(attempt);
    if (storage === null) return { ok: false, failure: this.#canceled() };
    if (result.kind === 'success') return this.#rotate(attempt, result.response, result.serverTimeMs);
    this.#state = { kind: 'stale', document: attempt, storage };
    const ended = result.kind === 'error' ? endReason(result.failure.code) : null;
    const reason = ended !== null && this.#movesTo !== null ? 'server-changed' : ended;
    if (reason !== null) for (const listener of this.#endListeners) listener(reason);
    return { ok: false, failure: result.failure };
  }

  /**
   * If the new token cannot be stored, the old one stays: with its key, the server returns the same new token again.
   */
  async #rotate(attempt: SessionDocument, tokens: RefreshedTokens, serverTimeMs: number | null): Promise<TokenResult> {
    const token = receiveAccessToken(tokens, serverTimeMs, this.#deps.clock);
    const moved = this.#movesTo === null ? {} : { serverAddress: this.#movesTo, movedFrom: attempt.serverAddress };
    const next = { ...attempt, ...moved, refreshToken: tokens.refresh_token, pendingRefreshKey: null };
    const stored = await this.#write(next);
    const storage = this.#storageDuring(attempt);
    if (storage === null) return { ok: false, failure: this.#canceled() };
    const document = stored || storage === 'memory' ? next : attempt;
    this.#state = { kind: 'fresh', document, storage: stored ? 'disk' : storage, accessToken: token };
    if (document === next && this.#movesTo !== null) {
      this.#movesTo = null;
      for (const listener of this.#moveListeners) listener(document.serverAddress);
    }
    return { ok: true, token };
  }

  /** Returns the storage while this refresh is current; `null` once the session has changed. */
  #storageDuring(attempt: SessionDocument): Storage | null {
    return this.#state.kind === 'refreshing' && this.#state.document === attempt ? this.#state.storage : null;
  }

  async #write(document: SessionDocument): Promise<boolean> {
    const { secrets, log } = this.#deps;
    try {
      await this.#writes.run(async () => {
        if (this.#stored !== 'own') await secrets.setAside(documentName);
        this.#stored = 'own';
        await secrets.write(documentName, this.#format(document));
      });
      if (this.#state.kind !== 'signed-out' && this.#state.document === document) {
        this.#state = { ...this.#state, storage: 'disk' };
      }
      return true;
    } catch (error) {
      this.#storeProblem = fileProblemOf(error);
      log.warn('the session could not be stored', this.#storeProblem);
      return false;
    }
  }

  #format(document: SessionDocument): string {
    const stored: z.infer<typeof storedSession> = { ...document, pendingEmail: this.#pendingEmail };
    return JSON.stringify({ ...stored, min_reader: 1 });
  }

  #canceled(): Failure {
    return failureNow(this.#deps.clock, 'CANCELED', 'The session has changed.');
  }
}

/** Returns the reason for the two codes that end a session; with any other it continues. */
function endReason(code: string): SignedOutReason | null {
  if (code === 'TOKEN_EXPIRED') return 'session-expired';
  return code === 'INVALID_TOKEN' ? 'session-revoked' : null;
}
