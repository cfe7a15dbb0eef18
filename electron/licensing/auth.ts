/** Sign-in, sign-up, sign-out and the change of server, one at a time; also handles sessions that the server ends. */
import type { TokenSet, User } from '../../shared/api/auth.ts';
import type { SessionState, SignedOutReason } from '../../shared/ipc/app-state.ts';
import { type Done, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import { hasSessionEnded } from '../../shared/ipc/session-ended.ts';
import type { Account } from './account.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiClient } from './api-client.ts';
import type { ApiKey } from './api-key.ts';
import type { ApiResult } from './api-response.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { DeviceIdentity } from './device-id.ts';
import type { Devices } from './devices.ts';
import type { EndedSession } from './ended-session.ts';
import { failureNow, noServerYet } from './failure.ts';
import { fileProblemOf } from './file-problem.ts';
import type { Lease, VerifiedLease } from './lease.ts';
import type { LeaseAccount } from './lease-account.ts';
import type { LeaseKeys } from './lease-keys.ts';
import type { LeaseRequest } from './lease-request.ts';
import type { LicenseStore, Owner } from './license-store.ts';
import { orCanceled } from './or-canceled.ts';
import type { Clock, Log, Random, SecretStore } from './platform.ts';
import type { Preferences } from './preferences.ts';
import type { ReachabilityTracker } from './reachability.ts';
import { SerialQueue } from './serial-queue.ts';
import { normalizeServerAddress, serverAddressRule } from './server-address.ts';
import type { Session } from './session.ts';
import type { Sync } from './sync.ts';
import type { TrustedTime } from './trusted-time.ts';

type AuthDeps = {
  readonly api: ApiClient;
  readonly session: Session;
  readonly endedSession: EndedSession;
  readonly store: LicenseStore;
  readonly lease: Lease;
  readonly leaseAccount: LeaseAccount;
  readonly leaseKeys: LeaseKeys;
  readonly leaseRequest: LeaseRequest;
  readonly secrets: SecretStore;
  readonly preferences: Preferences;
  readonly deviceIdentity: DeviceIdentity;
  readonly devices: Devices;
  readonly account: Account;
  readonly apiKey: ApiKey;
  readonly sync: Sync;
  readonly activity: ActivityLog;
  readonly trustedTime: TrustedTime;
  readonly reachability: ReachabilityTracker;
  /** Everything that holds data of the signed-in account. */
  readonly accountData: readonly { forget(): void }[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly changes: ChangeNotifier;
};

const logoutTimeoutMs = 3000;
/** Delay of the first sync after the app starts, spread so that devices that start together do not call together. */
const firstSyncAfterMs = 200;
const firstSyncSpreadMs = 1800;

export class Auth {
  readonly #deps: AuthDeps;
  readonly #queue = new SerialQueue();
  #signedOut: Exclude<SessionState, { kind: 'signed-in' }> = { kind: 'starting' };
  #lastUserId: string | null = null;
  /** Cancels the present sign-ins. */
  #signingIn = new AbortController();

  constructor(deps: AuthDeps) {
    this.#deps = deps;
    deps.session.onEnded((reason) => this.#endSession(reason));
    // The start, which opens the license document, comes first.
    deps.session.onMoved((serverAddress) => void this.#queue.run(() => this.#move(serverAddress)));
  }

  /** The session state while nobody is signed in. */
  get signedOut(): Exclude<SessionState, { kind: 'signed-in' }> {
    return this.#signedOut;
  }

  /** Why nobody is signed in; `null` also before the start. */
  get signedOutReason(): SignedOutReason | null {
    return this.#signedOut.kind === 'signed-out' ? this.#signedOut.reason : null;
  }

  /** Waits for what is in progress. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Restores the stored session when the client starts. */
  restore(): Promise<void> {
    return this.#queue.run(async () => {
      const { session, preferences, random } = this.#deps;
      const { serverAddress } = preferences.current;
      const restored = await session.restore(serverAddress, { mayMove: preferences.isDefaultAddress });
      if (serverAddress === null) return this.#startSignedOut(null);
      if (!session.user) return this.#startSignedOut(this.#reasonAtStart(restored));
      await this.#loadAccount(session.user);
      // The server may have ended the session meanwhile, in response to a command of the app.
      if (session.user) this.#deps.sync.start(Math.round(firstSyncAfterMs + firstSyncSpreadMs * random.fraction()));
    });
  }

  /** A lease counts even while its account is not signed in. */
  async #startSignedOut(reason: SignedOutReason | null): Promise<void> {
    const { leaseAccount, deviceIdentity, lease, store, activity } = this.#deps;
    const account = leaseAccount.current;
    if (account !== null) {
      await this.#open({ ...account, deviceId: deviceIdentity.id }, null);
      if (lease.claims === null) store.close();
    }
    this.#clearAccount(reason);
    activity.replace(store.facts.activity);
  }

  #reasonAtStart(restored: Awaited<ReturnType<Session['restore']>>): SignedOutReason | null {
    if (this.#deps.preferences.storedAddressNotAllowed) return 'server-address-not-allowed';
    if (restored === 'other-server') return 'server-changed';
    if (restored === 'unreadable') return 'store-unreadable';
    const ended = this.#deps.endedSession.current;
    return ended?.serverAddress === this.#deps.preferences.current.serverAddress ? ended.reason : null;
  }

  signIn({ email, password }: { readonly email: string; readonly password: string }): Promise<Done> {
    const body = { email: email.trim(), password };
    return this.#requestSession(() => this.#deps.api.call('login', { body, outlivesServer: true }));
  }

  signUp(input: { readonly email: string; readonly password: string; readonly fullName: string }): Promise<Done> {
    const body = { email: input.email.trim(), password: input.password, full_name: input.fullName.trim() };
    return this.#requestSession(() => this.#deps.api.call('signup', { body, outlivesServer: true }));
  }

  /**
   * Ends each sign-in and sign-up that still waits for the server, which fails with CANCELED at once. A session that the
   * server opens all the same is ended there.
   */
  cancelSignIn(): void {
    this.#signingIn.abort();
    this.#signingIn = new AbortController();
  }

  /** Ends the session here in any case; fails if the store keeps it or the server did not end all sessions. */
  signOut(allDevices: boolean): Promise<Done> {
    return this.#queue.run(async () => {
      const { session, preferences } = this.#deps;
      // The stored session belongs to the configured server, not to the one of this run.
      if (!session.user && preferences.isOverridden) return succeed(null);
      return allDevices ? this.#signOutEverywhere() : this.#signOutHere();
    });
  }

  /** Called once the server has deleted the account and its session. Another account may have signed in meanwhile. */
  closeDeletedAccount(userId: string | undefined): Promise<Done> {
    return this.#queue.run(async () => (this.#deps.session.user?.id === userId ? this.#closeSession() : succeed(null)));
  }

  /**
   * Imports a lease from a file or text, signed in or not. Fails with LEASE_REFUSED and the problem if it does not
   * count, and then nothing has changed.
   */
  importLease(text: string): Promise<Result<VerifiedLease>> {
    return this.#queue.run(async () => {
      const { lease, leaseRequest, store, activity, deviceIdentity, preferences } = this.#deps;
      const read = await lease.read(text);
      if (!read.ok) return read;
      const before = store.owner;
      const entries = [...activity.entries];
      const accountId = read.value.claims.sub;
      if (before?.accountId !== accountId) {
        const serverAddress = preferences.current.serverAddress ?? '';
        await this.#open({ serverAddress, accountId, deviceId: deviceIdentity.id }, null);
        activity.replace(store.facts.activity);
      }
      const imported = await lease.import(read.value);
      if (imported.ok) await leaseRequest.answer(read.value.claims.license);
      // The activity is now that account's: the next user to sign in reloads their own, even the last one.
      if (imported.ok && before?.accountId !== accountId) this.#lastUserId = null;
      if (imported.ok || before?.accountId === accountId) return imported;
      if (before === null) store.close();
      else await this.#open(before, null);
      activity.replace(entries);
      return imported;
    });
  }

  /** Switches to another server, which ends the session at the current one. */
  async changeServer(typed: string): Promise<Done> {
    const { clock, preferences, api, reachability, devices, account, apiKey, lease, leaseKeys, trustedTime } =
      this.#deps;
    const { accountData } = this.#deps;
    const serverAddress = normalizeServerAddress(typed);
    if (serverAddress === null) {
      return fail(failureNow(clock, 'SERVER_ADDRESS_INVALID', `The address is not allowed: ${serverAddressRule}`));
    }
    if (serverAddress === preferences.current.serverAddress) return succeed(null);
    this.cancelSignIn();
    await this.#queue.run(() => this.#leaveServer());
    api.forgetServer();
    reachability.forget();
    // Results may exist even without a session, and pending requests still go to the previous server.
    for (const data of accountData) data.forget();
    devices.forgetServer();
    account.forgetServer();
    apiKey.forgetServer();
    lease.forgetServer();
    // A lease is valid with any server, and expires by the time measured since it was signed.
    if (lease.claims === null) trustedTime.forgetServer({ keepsSigned: leaseKeys.arePinned });
    return preferences.change({ serverAddress });
  }

  /** Sets whether secrets are stored on disk without a keyring; if so, stores the current session. */
  async chooseSecretStorage(keep: boolean): Promise<Done> {
    const { secrets, session, store, clock, changes } = this.#deps;
    try {
      await secrets.choose(keep);
    } catch (error) {
      const message = 'The storage of secrets could not be changed.';
      return fail(failureNow(clock, 'STORE_UNAVAILABLE', message, fileProblemOf(error)));
    }
    if (keep) await Promise.all([session.save(), store.save()]);
    changes.notify();
    return succeed(null);
  }

  /** CANCELED if the server has changed by the time that it can be asked: a password is only for its own server. */
  #requestSession(request: () => Promise<ApiResult<TokenSet>>): Promise<Done> {
    const { preferences, clock } = this.#deps;
    const { serverAddress } = preferences.current;
    const { signal } = this.#signingIn;
    return this.#queue.run(async () => {
      if (preferences.current.serverAddress === serverAddress && !signal.aborted) {
        const requested = request();
        const result = await orCanceled(requested, signal);
        if (result.kind !== 'canceled') return this.#startSession(result);
        void requested.then((late) => {
          if (late.kind === 'success')
            void this.#callLogout(false, { refreshToken: late.response.refresh_token, serverAddress });
        });
      }
      return fail(failureNow(clock, 'CANCELED', 'The sign-in was canceled.'));
    });
  }

  async #startSession(result: ApiResult<TokenSet>): Promise<Done> {
    const { session, endedSession, leaseKeys, clock, preferences, activity, sync } = this.#deps;
    if (result.kind !== 'success') return fail(result.failure);
    const { serverAddress } = preferences.current;
    if (serverAddress === null) return fail(noServerYet(clock));
    const { user: replacedUser, refreshToken, serverAddress: replacedAt } = session;
    if (replacedUser) this.#clearAccount(null);
    const at = { serverAddress, staysThere: !preferences.isDefaultAddress };
    // All three take effect at once: whatever happens while the stores are slow belongs to this session.
    const [isStored] = await Promise.all([
      session.open(result.response, at, result.serverTimeMs),
      this.#loadAccount(result.response.user),
      endedSession.forget(),
    ]);
    // If the new session is not stored, e.g. because the disk is full, the next start finds the account's earlier one,
    // which must still be valid.
    const isReplaced = isStored || replacedUser?.id !== result.response.user.id;
    if (replacedUser && isReplaced) void this.#callLogout(false, { refreshToken, serverAddress: replacedAt });
    // Perhaps somebody else asked to be reminded later.
    if (preferences.current.settings.remindAt) await preferences.changeSettings({ remindAt: undefined });
    const ended = session.signedOutFailure();
    if (ended) return fail(ended);
    activity.add('signed-in', result.response.user.email);
    if (leaseKeys.of(serverAddress).keys.length === 0) void leaseKeys.refresh();
    sync.start(0);
    return succeed(null);
  }

  /** Loads what is stored for the user. */
  async #loadAccount(user: User): Promise<void> {
    const { session, store, deviceIdentity, activity } = this.#deps;
    // Until the server at a new address has answered, this is the old address.
    const { serverAddress } = session;
    if (serverAddress === null) return;
    const owner = { serverAddress, accountId: user.id, deviceId: deviceIdentity.id };
    const isAnother = this.#lastUserId !== user.id;
    if (isAnother) activity.replace([]);
    this.#lastUserId = user.id;
    await this.#open(owner, session.movedFrom);
    if (isAnother) activity.append(store.facts.activity);
    if (store.isUnreadable) activity.add('license-unreadable');
  }

  async #open(owner: Owner, movedFrom: string | null): Promise<void> {
    const { store, trustedTime, lease } = this.#deps;
    await store.open(owner, movedFrom);
    trustedTime.restore(store.facts.time);
    await lease.restore();
  }

  /** Called when the same server has answered at another address. */
  async #move(serverAddress: string): Promise<void> {
    const { store, leaseKeys, leaseAccount, lease } = this.#deps;
    const before = store.owner;
    await store.move(serverAddress);
    if (before === null) return;
    await leaseKeys.move(before.serverAddress, serverAddress);
    if (leaseAccount.current?.accountId === before.accountId) await leaseAccount.remember({ ...before, serverAddress });
    if (lease.claims === null) await lease.restore();
  }

  /** Called when nobody is signed in any more: stops the sync and clears the account's data. */
  #clearAccount(reason: SignedOutReason | null): void {
    const { activity, sync, accountData, reachability, endedSession } = this.#deps;
    const email = hasSessionEnded(reason) ? endedSession.current?.email : undefined;
    this.#signedOut = { kind: 'signed-out', reason, ...(email && { email }) };
    if (this.#lastUserId !== null) activity.add(reason === null ? 'signed-out' : 'session-ended', reason);
    sync.stop();
    for (const data of accountData) data.forget();
    reachability.expectNextTry(null);
  }

  async #signOutHere(): Promise<Done> {
    const logout = this.#callLogout(false);
    const closed = await this.#closeSession();
    if (closed.ok && logout) await this.#waitAtMost(logout, logoutTimeoutMs);
    return closed;
  }

  async #signOutEverywhere(): Promise<Done> {
    const { session } = this.#deps;
    await session.flush();
    // This session may have ended meanwhile, but not the others.
    const signedOut = session.signedOutFailure();
    const logout = await this.#callLogout(true);
    const closed = await this.#closeSession();
    if (!closed.ok) return closed;
    if (signedOut) return fail(signedOut);
    return logout && logout.kind !== 'success' ? fail(logout.failure) : closed;
  }

  /** The device stays activated, so its stored license, except the lease, is kept for the same account. */
  async #closeSession(): Promise<Done> {
    const { session, endedSession, store, lease, clock } = this.#deps;
    // It is still stored, and can be read once the keyring is unlocked.
    const unreadable = !session.user && this.signedOutReason === 'store-unreadable' ? 'store-unreadable' : null;
    const removing = lease.remove();
    store.close();
    const closing = session.close();
    const forgetting = endedSession.forget();
    this.#clearAccount(unreadable);
    const kept = (error?: unknown) =>
      fail(failureNow(clock, 'STORE_UNAVAILABLE', 'The stored session could not be removed.', fileProblemOf(error)));
    try {
      await Promise.all([removing, closing, forgetting]);
      return unreadable === null ? succeed(null) : kept();
    } catch (error) {
      return kept(error);
    }
  }

  /** A session that has only expired leaves the lease, which counts until it expires. */
  #endSession(reason: SignedOutReason): void {
    const { session, endedSession, store, lease } = this.#deps;
    const { user, serverAddress } = session;
    if (hasSessionEnded(reason) && user && serverAddress !== null)
      void endedSession.remember({ serverAddress, email: user.email, reason });
    if (reason === 'session-revoked') void lease.remove();
    if (lease.claims === null) store.close();
    // The server at the new address does not know the session; the one at the old address may.
    if (reason === 'server-changed') session.forget();
    else void this.#removeSession();
    this.#clearAccount(reason);
  }

  async #leaveServer(): Promise<void> {
    const { session, store, lease } = this.#deps;
    if (!session.user) {
      // How the last session ended, and whose it was, is nothing to the next server.
      if (hasSessionEnded(this.signedOutReason)) this.#signedOut = { kind: 'signed-out', reason: null };
      return;
    }
    void this.#callLogout(false);
    const removing = lease.remove();
    store.close();
    const removed = this.#removeSession();
    this.#clearAccount('server-changed');
    await Promise.all([removing, removed]);
  }

  async #removeSession(): Promise<void> {
    await this.#deps.session.close().catch(() => this.#deps.log.warn('the ended session could not be removed'));
  }

  /** Ends the session on the server; nothing here depends on its response. */
  #callLogout(
    allDevices: boolean,
    { refreshToken, serverAddress }: Pick<Session, 'refreshToken' | 'serverAddress'> = this.#deps.session,
  ): Promise<ApiResult<unknown>> | null {
    const { api } = this.#deps;
    if (refreshToken === null || serverAddress === null) return null;
    const body = { refresh_token: refreshToken, ...(allDevices ? { all_devices: true } : {}) };
    return api.call('logout', { body, serverAddress });
  }

  async #waitAtMost(promise: Promise<unknown>, timeoutMs: number): Promise<void> {
    let cancelTimer = () => {};
    const timeout = new Promise<void>((resolve) => {
      cancelTimer = this.#deps.clock.setTimer(timeoutMs, resolve);
    });
    await Promise.race([promise, timeout]);
    cancelTimer();
  }
}
