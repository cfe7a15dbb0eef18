/** The lease of this device: requests it from the server, verifies it, and imports one from elsewhere. */
import { maxLeaseText } from '../../shared/formats/lease-text.ts';
import type { Capability, LeaseInfo } from '../../shared/ipc/app-state.ts';
import { type Failure, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import type { SignatureVerifier } from '../../shared/jws.ts';
import { type LeaseClaims, type LeaseProblem, type LeaseVerification, readLease } from '../../shared/lease.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiResult } from './api-response.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { DeviceIdentity } from './device-id.ts';
import { isLeaseGood } from './entitlement.ts';
import { failureNow, toTimestamp } from './failure.ts';
import type { LeaseAccount } from './lease-account.ts';
import type { LeaseKeys } from './lease-keys.ts';
import { contradictions, isRenewalDue, type LastRequest } from './lease-renewal.ts';
import type { LicenseFacts, LicenseStore } from './license-store.ts';
import type { Clock, Log } from './platform.ts';
import type { Preferences } from './preferences.ts';
import type { ServerAbout } from './server-about.ts';
import type { Session } from './session.ts';
import type { TrustedTime } from './trusted-time.ts';

type LeaseDeps = {
  readonly session: Session;
  readonly store: LicenseStore;
  readonly leaseKeys: LeaseKeys;
  readonly leaseAccount: LeaseAccount;
  readonly deviceIdentity: DeviceIdentity;
  readonly preferences: Preferences;
  readonly serverAbout: Pick<ServerAbout, 'current'>;
  readonly trustedTime: TrustedTime;
  readonly subtle: SignatureVerifier<unknown>;
  readonly activity: ActivityLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly changes: ChangeNotifier;
};

/** A lease with a verified signature and device. */
export type VerifiedLease = { readonly lease: string; readonly kid: string; readonly claims: LeaseClaims };

/** The server may be upgraded, or whatever responded in its place may be gone. */
const askAgainWhereMissingMs = 24 * 3_600_000;

type ImportProblem = NonNullable<Failure['problem']>;

export class Lease {
  readonly #deps: LeaseDeps;
  #verified: VerifiedLease | null = null;
  /** What is wrong with the stored lease, or with the last one from the server. */
  #problem: LeaseInfo['problem'] = null;
  #last: (Omit<LastRequest, 'ageMs'> & { readonly atMs: number }) | null = null;
  #capability: Capability = 'unknown';
  /** When a server that had no leases is asked again; monotonic time. */
  #askAgainAtMs = 0;
  /** Counts the requests: an activation may send one while an earlier one, of a sync, is still in progress. */
  #asked = 0;
  #answered = 0;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  /** Claims of the lease in use, expired or not. */
  get claims(): LeaseClaims | null {
    return this.#inUse?.claims ?? null;
  }

  /** Claims of the lease in use while it is good. */
  get goodClaims(): LeaseClaims | null {
    const { claims } = this;
    return claims !== null && isLeaseGood(claims, this.#timeMs) ? claims : null;
  }

  /** Milliseconds for which the lease in use is still good; `null` if it is not. */
  get goodForMs(): number | null {
    const { goodClaims } = this;
    return goodClaims === null ? null : goodClaims.exp * 1000 - this.#timeMs;
  }

  /** Lower bound of the time that decides whether the lease in use has expired. */
  get floorMs(): number {
    return this.claims === null ? 0 : this.#deps.trustedTime.floorMs(this.claims.iat * 1000);
  }

  get #timeMs(): number {
    return Math.max(this.#deps.trustedTime.nowMs(), this.floorMs);
  }

  get arePinned(): boolean {
    return this.#deps.leaseKeys.arePinned;
  }

  /** True if nothing is on without a lease. */
  get isNeeded(): boolean {
    const { store } = this.#deps;
    return this.arePinned || store.facts.needsLease;
  }

  /** Whether the server signs leases. */
  get capability(): Capability {
    return this.#capability;
  }

  /**
   * True if the server should be asked: not again within a day if it had no leases, unless it now says that it has
   * them.
   */
  get isOffered(): boolean {
    const isDue = this.#deps.clock.monotonic() >= this.#askAgainAtMs;
    return this.#capability !== 'missing' || isDue || this.#saysThatItHas;
  }

  get info(): LeaseInfo {
    const { leaseKeys, store } = this.#deps;
    const { lease, unknownKeyLease } = store.facts;
    const keys = leaseKeys.source;
    if (lease === null && unknownKeyLease === null) return { ...nothing, problem: this.#problem, keys };
    const inUse = this.#inUse;
    if (inUse === null) return { ...nothing, state: 'unusable', problem: this.#problem ?? 'unknown_key', keys };
    const { iat, renew_after, exp, license } = inUse.claims;
    return {
      state: this.goodClaims === null ? 'expired' : 'good',
      problem: unknownKeyLease === null ? null : 'unknown_key',
      kid: inUse.kid,
      keys,
      license,
      issuedAt: toTimestamp(iat * 1000),
      renewAfter: toTimestamp(renew_after * 1000),
      expiresAt: toTimestamp(exp * 1000),
    };
  }

  /** Verifies what is stored, once an account's license document is open. */
  async restore(): Promise<void> {
    const { store, trustedTime, log } = this.#deps;
    const { lease, unknownKeyLease } = store.facts;
    this.forget();
    if (lease !== null) {
      const verified = await this.#verify(lease);
      this.#verified = verified.kind === 'verified' ? verified.value : null;
      this.#problem = verified.kind === 'verified' ? null : verified.problem;
      if (verified.kind === 'refused') log.warn('the stored lease does not count', { problem: verified.problem });
    }
    // A new version of the app may know the key.
    if (unknownKeyLease !== null) await this.#takeLater(unknownKeyLease);
    if (this.claims !== null) trustedTime.recall(this.claims.iat * 1000);
  }

  /** Called for another account or server: earlier results say nothing about it. */
  forget(): void {
    this.#verified = null;
    this.#problem = null;
    this.#last = null;
  }

  /** Another server may sign no leases. */
  forgetServer(): void {
    this.#capability = 'unknown';
  }

  /** Milliseconds until a sync can get the next lease; `null` if none is expected before the regular one. */
  get dueInMs(): number | null {
    const { claims } = this;
    // What is wrong with a lease of the server rarely passes soon.
    if (!this.isOffered || this.#problem !== null) return null;
    const isInconclusive = this.#last?.outcome === 'inconclusive';
    if (claims === null) return this.isNeeded && isInconclusive ? 0 : null;
    const dueInMs = Math.max(0, claims.renew_after * 1000 - this.#timeMs);
    // While the current lease is good, the regular interval is soon enough to ask again.
    return dueInMs === 0 && isInconclusive && this.goodClaims !== null ? null : dueInMs;
  }

  /** Asks the server if a lease is due; `null` if none is. */
  async renewIfDue(isRequested: boolean): Promise<ApiResult<unknown> | null> {
    const { store, clock } = this.#deps;
    // From now on any contradiction is new, even one that occurred before.
    if (this.#last !== null && contradictions(store.facts, this.claims) === '')
      this.#last = { ...this.#last, contradicted: '' };
    const last = this.#last && { ...this.#last, ageMs: clock.monotonic() - this.#last.atMs };
    const input = { facts: store.facts, claims: this.claims, nowMs: this.#timeMs, last, isRequested };
    if (!this.isOffered && !isRequested) return null;
    return isRenewalDue(input) ? this.renew() : null;
  }

  /** Requests a lease from the server and takes it; a refusal ends the one in use. */
  async renew(): Promise<ApiResult<unknown>> {
    const { session, store, deviceIdentity, changes } = this.#deps;
    const asked = store.facts;
    const contradictedBefore = contradictions(asked, this.claims);
    const owner = store.owner;
    const request = ++this.#asked;
    const result = this.#doubt(await session.call('lease', { body: { device_id: deviceIdentity.id } }));
    const given = result.kind === 'success' ? await this.#verifyGiven(result.response.lease) : null;
    // Something else has ended it meanwhile, or the account has changed: the response no longer applies.
    if (store.owner !== owner || store.facts.endedAt !== asked.endedAt) return result;
    const refused = result.kind === 'error' && result.failure.code === 'LICENSE_INACTIVE';
    // A later request supersedes this one; for a refusal even if unanswered, as it may predate an activation.
    if (request < (refused ? this.#asked : this.#answered)) return result;
    if (result.kind !== 'inconclusive') this.#answered = request;
    if (result.kind === 'unsupported') {
      this.#capability = 'missing';
      this.#askAgainAtMs = this.#deps.clock.monotonic() + askAgainWhereMissingMs;
    } else if (result.kind !== 'inconclusive') this.#capability = 'available';
    if (refused) await this.#end();
    const taken =
      result.kind === 'success' && given && (await this.#take(result.response.lease, given, result.serverTimeMs));
    const outcome = refused ? 'refused' : taken ? 'given' : 'inconclusive';
    const contradictedNow = contradictions(store.facts, this.claims);
    // Remember only contradictions that a new lease did not resolve: earlier responses may predate what it reflects.
    const contradicted = refused || contradictedNow === contradictedBefore ? contradictedNow : '';
    this.#last = { outcome, atMs: this.#deps.clock.monotonic(), contradicted };
    changes.notify();
    return result;
  }

  /** Reads and verifies the lease in a text without importing it. */
  async read(text: string): Promise<Result<VerifiedLease>> {
    const { session, deviceIdentity, leaseKeys, clock } = this.#deps;
    await deviceIdentity.load();
    const lease = normalize(text);
    if (lease === null) return refuse(clock, 'malformed');
    let verified = await this.#verifyAny(lease);
    if (!verified.valid && verified.problem === 'unknown_key' && session.user) {
      await leaseKeys.refresh();
      verified = await this.#verifyAny(lease);
    }
    if (!verified.valid) return refuse(clock, verified.problem);
    const { kid, claims } = verified;
    if (session.user && session.user.id !== claims.sub) return refuse(clock, 'other_account');
    return succeed({ lease, kid, claims });
  }

  /**
   * Stores a lease returned by `read` in the license document of its account, which must be open. It may correct a
   * wrong clock: its time takes precedence over the clock of a machine that is never online.
   */
  async import(read: VerifiedLease): Promise<Result<VerifiedLease>> {
    const { store, trustedTime, clock, activity, changes } = this.#deps;
    const { iat, exp } = read.claims;
    const { endedAt } = store.facts;
    const issuedMs = iat * 1000;
    if (this.#isOlderThanInUse(issuedMs) || (endedAt !== null && (iat + 1) * 1000 < Date.parse(endedAt)))
      return refuse(clock, 'older');
    const leastMs = trustedTime.isCorrectedBy(issuedMs) ? (trustedTime.signedMs ?? 0) : trustedTime.nowMs();
    const floorMs = trustedTime.isAhead(issuedMs) ? trustedTime.floorMs(issuedMs) : 0;
    if (Math.max(leastMs, floorMs) >= exp * 1000) return refuse(clock, 'expired');
    trustedTime.correct(issuedMs);
    await this.#record(read);
    // The server has ended it, or the session, while it was being stored.
    if (this.#inUse?.lease !== read.lease) return refuse(clock, 'older');
    activity.add('lease-imported', read.claims.license);
    await store.update({ activity: [...activity.entries] });
    changes.notify();
    return succeed(read);
  }

  /** Removes the account's lease: the user has signed out, or the server has conclusively ended the session. */
  async remove(): Promise<void> {
    const { store, leaseAccount } = this.#deps;
    const { lease, unknownKeyLease } = store.facts;
    const isStored = lease !== null || unknownKeyLease !== null;
    this.forget();
    // The lease of another account, imported while nobody was signed in, stays.
    const isItsOwn = store.owner === null || leaseAccount.current?.accountId === store.owner.accountId;
    // Both start before the first await, because the store is closed right after.
    const removed = isStored ? store.update({ lease: null, unknownKeyLease: null }) : undefined;
    await Promise.all([isItsOwn ? leaseAccount.forget() : undefined, removed]);
  }

  get #saysThatItHas(): boolean {
    return this.#deps.serverAbout.current?.leases === true;
  }

  /** A 404 from a server that says it has leases: something in between responded, or it is being replaced. */
  #doubt<Response>(result: ApiResult<Response>): ApiResult<Response> {
    if (result.kind !== 'unsupported' || !this.#saysThatItHas) return result;
    const message = 'The server says that it has leases, and had none to give.';
    return { kind: 'inconclusive', failure: failureNow(this.#deps.clock, 'SERVER_RESPONSE_INVALID', message) };
  }

  /** A lease from a time far ahead gives way to one that is not: a wrong clock was corrected. */
  #isOlderThanInUse(issuedMs: number): boolean {
    const { trustedTime } = this.#deps;
    const inUseMs = (this.claims?.iat ?? 0) * 1000;
    return inUseMs > issuedMs && (!trustedTime.isAhead(inUseMs) || trustedTime.isAhead(issuedMs));
  }

  get #inUse(): VerifiedLease | null {
    return this.#verified?.lease === this.#deps.store.facts.lease ? this.#verified : null;
  }

  /** Records a conclusive refusal of all licenses of this account on this device. */
  async #end(): Promise<void> {
    const { store, trustedTime, activity, log } = this.#deps;
    if (store.facts.lease !== null) activity.add('lease-ended');
    log.info('the server has refused a lease');
    const time = trustedTime.reading();
    await store.update({ ...endLease(trustedTime.endMs), needsLease: true, time });
  }

  /** Asks the server for its keys if the lease names an unknown one. */
  async #verifyGiven(lease: string): Promise<Verification> {
    const { leaseKeys } = this.#deps;
    const verified = await this.#verify(lease);
    if (verified.kind === 'verified' || verified.problem !== 'unknown_key' || leaseKeys.arePinned) return verified;
    await leaseKeys.refresh();
    return this.#verify(lease);
  }

  /** Takes a lease from the server that came with this `Date`. Returns whether it is now in use. */
  async #take(lease: string, verified: Verification, dateMs: number | null): Promise<boolean> {
    const { store, trustedTime, log } = this.#deps;
    if (verified.kind === 'verified') {
      if (dateMs !== null) trustedTime.checkDate(dateMs, verified.value.claims.iat * 1000);
      await this.#record(verified.value);
      return true;
    }
    log.warn('a lease of the server does not count', { problem: verified.problem });
    this.#problem = verified.problem;
    const kept = verified.problem === 'unknown_key' ? { unknownKeyLease: lease } : {};
    await store.update({ ...kept, needsLease: true });
    return false;
  }

  /** Retries a lease that was kept because its key was unknown. */
  async #takeLater(lease: string): Promise<void> {
    const verified = await this.#verify(lease);
    if (verified.kind === 'verified') await this.#record(verified.value);
    else if (verified.problem !== 'unknown_key') await this.#deps.store.update({ unknownKeyLease: null });
  }

  async #record(verified: VerifiedLease): Promise<void> {
    const { store, trustedTime, leaseAccount } = this.#deps;
    this.#verified = verified;
    this.#problem = null;
    trustedTime.notBefore(verified.claims.iat * 1000);
    const { lease } = verified;
    await store.update({ lease, unknownKeyLease: null, needsLease: true, time: trustedTime.reading() });
    if (store.owner !== null) await leaseAccount.remember(store.owner);
  }

  /** Checks that the lease is genuine, for this device, and for the account of the open license document. */
  async #verify(lease: string): Promise<Verification> {
    const verified = await this.#verifyAny(lease);
    if (!verified.valid) return { kind: 'refused', problem: verified.problem };
    const { kid, claims } = verified;
    if (claims.sub !== this.#deps.store.owner?.accountId) return { kind: 'refused', problem: 'other_account' };
    return { kind: 'verified', value: { lease, kid, claims } };
  }

  #verifyAny(lease: string): Promise<LeaseVerification> {
    const { leaseKeys, session, store, preferences, deviceIdentity, subtle } = this.#deps;
    // While nobody is signed in, the server of the last sign-in here.
    const { serverAddress } = preferences.current;
    const jwks = leaseKeys.of(session.serverAddress ?? store.owner?.serverAddress ?? serverAddress);
    return readLease(lease, { jwks, deviceId: deviceIdentity.id, subtle });
  }
}

type Verification =
  | { readonly kind: 'verified'; readonly value: VerifiedLease }
  | { readonly kind: 'refused'; readonly problem: LeaseProblem | 'other_account' };

const nothing = {
  state: 'none',
  problem: null,
  kid: null,
  license: null,
  issuedAt: null,
  renewAfter: null,
  expiresAt: null,
} as const satisfies Partial<LeaseInfo>;

/** Returns what ends a lease: no lease from before that moment counts any more. */
export function endLease(nowMs: number): Pick<LicenseFacts, 'lease' | 'unknownKeyLease' | 'endedAt'> {
  return { lease: null, unknownKeyLease: null, endedAt: toTimestamp(nowMs) };
}

/** Returns the compact JWS in a text, ignoring all whitespace; `null` if it cannot be one. */
function normalize(text: string): string | null {
  if (text.length > maxLeaseText) return null;
  const lease = text.replaceAll(/\s/g, '');
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(lease) ? lease : null;
}

const sentences: Readonly<Record<ImportProblem, string>> = {
  malformed: 'This is no lease.',
  unknown_key: 'The lease is signed with a key that this app does not know.',
  wrong_signature: 'The signature of the lease is wrong.',
  other_device: 'The lease is for another device.',
  other_account: 'The lease is for another account.',
  not_yet_valid: 'The lease is from the future.',
  expired: 'The lease has expired.',
  older: 'A later answer of the server is in use already.',
};

function refuse(clock: Clock, problem: ImportProblem): Result<never> {
  return fail(failureNow(clock, 'LEASE_REFUSED', sentences[problem], { problem }));
}
