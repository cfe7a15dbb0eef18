/**
 * Syncs with the server: heartbeat, license, account. Runs soon after sign-in and waking, then at the pace of the
 * window, and backs off while the server cannot be reached.
 */
import { type Done, type Failure, fail, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiKey } from './api-key.ts';
import type { ApiResult } from './api-response.ts';
import { nextSyncDelayMs } from './backoff.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { DeviceLicense } from './device-license.ts';
import type { DeviceRename } from './device-rename.ts';
import type { Devices } from './devices.ts';
import { isActivated, namesGranted } from './entitlement.ts';
import type { FeatureTexts } from './feature-texts.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Lease } from './lease.ts';
import type { LeaseKeys } from './lease-keys.ts';
import type { LicenseFacts, LicenseStore } from './license-store.ts';
import type { Clock, Log, Power, Random } from './platform.ts';
import type { Preferences } from './preferences.ts';
import type { ReachabilityTracker } from './reachability.ts';
import { RepeatingJob } from './repeating-job.ts';
import type { ServerAbout } from './server-about.ts';
import type { Session } from './session.ts';
import type { TrustedTime } from './trusted-time.ts';

type SyncDeps = {
  readonly session: Session;
  readonly store: LicenseStore;
  readonly deviceLicense: DeviceLicense;
  readonly deviceRename: DeviceRename;
  readonly lease: Lease;
  readonly leaseKeys: LeaseKeys;
  readonly devices: Devices;
  readonly heartbeat: Heartbeat;
  readonly apiKey: ApiKey;
  readonly featureTexts: FeatureTexts;
  readonly serverAbout: ServerAbout;
  readonly activity: ActivityLog;
  readonly trustedTime: TrustedTime;
  readonly reachability: ReachabilityTracker;
  readonly preferences: Preferences;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly power: Power;
  readonly changes: ChangeNotifier;
};

type SyncResult = {
  /** Failure of the first inconclusive call. */
  readonly failure: Failure | null;
  /** The longest wait that the server asked for; 0 if it asked for none. */
  readonly retryAfterSeconds: number;
};

/**
 * What the next run covers: everything; everything because the user asked; or after an activation, only the heartbeat.
 */
type SyncScope = 'scheduled' | 'requested' | 'heartbeat';

const nothingFailed: SyncResult = { failure: null, retryAfterSeconds: 0 };
const minGapMs = 1000;
const offlineGapMs = 15_000;
/** Delay before a lease is requested without a good one; minimum between renewals of one that lasts only seconds. */
const noLeaseGapMs = 15_000;
const minLeaseGapMs = 5000;

export class Sync {
  readonly #deps: SyncDeps;
  readonly #stopListening: readonly (() => void)[];
  /** One per session, so that a leftover sync of an earlier session decides nothing. */
  #job: RepeatingJob | null = null;
  #isDisposed = false;
  #foreground = false;
  #nextScope: SyncScope = 'scheduled';
  #failures = 0;
  #last = nothingFailed;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    this.#stopListening = [
      // Timers that are due may fire before the system reports that it has woken.
      deps.power.onSuspend(() => deps.reachability.expectWaking()),
      deps.power.onResume(() => {
        deps.reachability.expectWaking();
        this.#job?.runWithin(this.#soonMs());
      }),
    ];
  }

  /** Starts for a session; the first sync comes after the delay. */
  start(firstDelayMs: number): void {
    const { clock, log } = this.#deps;
    this.stop();
    // A sign-in still pending when the client is stopped may succeed.
    if (this.#isDisposed) return;
    this.#failures = 0;
    this.#last = nothingFailed;
    this.#nextScope = 'scheduled';
    const run = () => this.#run();
    this.#job = new RepeatingJob({ clock, log, run, nextDelayMs: () => this.#nextDelayMs(), onChange: this.#onChange });
    this.#job.start(firstDelayMs);
  }

  /** Resolves once a sync in progress has ended. */
  async stop(): Promise<void> {
    const stopped = this.#job?.stop();
    this.#job = null;
    await stopped;
  }

  /** Stops for good: waits for a sync in progress, and stores what happened since the last one. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const stop of this.#stopListening) stop();
    await this.stop();
    const { activity, store } = this.#deps;
    if (activity.entries[0] !== store.facts.activity[0]) await this.#save();
  }

  /** Syncs everything at once; fails with the first failed call's failure. */
  async runNow(): Promise<Done> {
    const signedOut = this.#deps.session.signedOutFailure();
    if (signedOut) return fail(signedOut);
    this.#nextScope = 'requested';
    await this.#job?.runNow();
    return this.#last.failure ? fail(this.#last.failure) : succeed(null);
  }

  /**
   * Sends a heartbeat within 3 s of an activation, which has just fetched the rest; never shortens a first or requested
   * sync.
   */
  sendHeartbeatSoon(): void {
    if (this.#nextScope === 'scheduled' && this.#job?.hasStarted) this.#nextScope = 'heartbeat';
    this.#job?.runWithin(this.#soonMs());
  }

  /** Syncs run each minute in the foreground, otherwise at the interval of the settings. */
  setForeground(foreground: boolean): void {
    const cameToFront = foreground && !this.#foreground;
    this.#foreground = foreground;
    if (!cameToFront || !this.#job) return;
    const gapMs = this.#failures > 0 ? Math.max(offlineGapMs, this.#retryAfterMs()) : this.#nextDelayMs();
    this.#job.runWithin(Math.max(minGapMs, gapMs - this.#job.sinceLastRunMs));
  }

  /** Applies a changed interval. */
  updatePace(): void {
    this.#job?.runWithin(this.#nextDelayMs());
  }

  get nextAtMs(): number | null {
    return this.#job?.nextRunAtMs ?? null;
  }

  get isRunning(): boolean {
    return this.#job?.isRunning ?? false;
  }

  readonly #onChange = (): void => {
    this.#deps.reachability.expectNextTry(this.nextAtMs);
    this.#deps.changes.notify();
  };

  #soonMs(): number {
    return Math.round(minGapMs + 2000 * this.#deps.random.fraction());
  }

  #retryAfterMs(): number {
    return this.#last.retryAfterSeconds * 1000;
  }

  #nextDelayMs(): number {
    const { preferences, random, reachability } = this.#deps;
    if (this.#failures > 0 && reachability.isWaking) return Math.max(this.#soonMs(), this.#retryAfterMs());
    if (this.#nextScope === 'heartbeat') return Math.max(this.#soonMs(), this.#retryAfterMs());
    const delayMs = nextSyncDelayMs({
      failures: this.#failures,
      foreground: this.#foreground,
      intervalSeconds: preferences.current.settings.heartbeatIntervalSeconds,
      retryAfterSeconds: this.#last.retryAfterSeconds,
      fraction: random.fraction(),
    });
    return this.#failures > 0 ? delayMs : Math.max(Math.min(delayMs, this.#leaseGapMs()), this.#retryAfterMs());
  }

  #leaseGapMs(): number {
    const { dueInMs, goodClaims } = this.#deps.lease;
    if (dueInMs === null) return Number.POSITIVE_INFINITY;
    return goodClaims === null ? noLeaseGapMs : Math.max(minLeaseGapMs, dueInMs);
  }

  async #run(): Promise<void> {
    const job = this.#job;
    const scope = this.#nextScope;
    this.#nextScope = 'scheduled';
    const result = await this.#sync(scope);
    // A new session has started meanwhile; if this one has only ended, `runNow` still reports the result.
    if (this.#job !== null && this.#job !== job) return;
    this.#last = result;
    // A server that asks to wait has not failed.
    this.#failures = result.failure && result.failure.code !== 'RATE_LIMITED' ? this.#failures + 1 : 0;
  }

  async #sync(scope: SyncScope): Promise<SyncResult> {
    const { session, store, heartbeat, deviceLicense, lease, devices, apiKey, featureTexts, serverAbout } = this.#deps;
    const { trustedTime, activity } = this.#deps;
    const userId = session.user?.id;
    const failures: Failure[] = [];
    /** Records a failure; returns false if the remaining calls would only fail as well. */
    const goesOn = (result: ApiResult<unknown> | null): boolean => {
      if (result?.kind !== 'inconclusive') return true;
      failures.push(result.failure);
      return !stopsSync(result.failure);
    };
    if (await store.retryRead()) {
      trustedTime.restore(store.facts.time);
      activity.append(store.facts.activity);
      await lease.restore();
    }
    if (goesOn(await heartbeat.send()) && scope !== 'heartbeat' && goesOn(await this.#validate(scope))) {
      const listDevices =
        devices.capability === 'unknown' || (scope === 'requested' && devices.capability === 'available');
      const goesOnWithRest =
        goesOn(await deviceLicense.loadStatus('later')) && goesOn(await lease.renewIfDue(scope === 'requested'));
      if (goesOnWithRest && listDevices) await devices.load();
      if (goesOnWithRest && goesOn(await apiKey.checkIfDue(scope === 'requested'))) {
        await featureTexts.loadIfDue(namesGranted(store.facts), scope === 'requested');
        await serverAbout.refreshIfDue(scope === 'requested');
      }
    }
    if (session.user?.id === userId) await this.#save();
    const retryAfterSeconds = Math.max(0, ...failures.map((failure) => failure.retryAfterSeconds ?? 0));
    return { failure: failures[0] ?? null, retryAfterSeconds };
  }

  /** Logs the license if it has changed or the user has asked. */
  async #validate(scope: SyncScope) {
    const { store, deviceLicense, deviceRename, activity } = this.#deps;
    const before = summarize(store.facts);
    const result = await deviceLicense.validateStored('later');
    const after = summarize(store.facts);
    if (result?.kind === 'success' && (scope === 'requested' || after !== before)) {
      activity.add(result.response.valid ? 'license-checked' : 'license-rejected', after);
    }
    // If that fails, the next sync tries again.
    if (result?.kind === 'success') await deviceRename.sendIfDue();
    return result;
  }

  /** Stores all that the sync has learned in one write, and what could not be stored so far. */
  async #save(): Promise<void> {
    const { session, store, leaseKeys, activity, trustedTime } = this.#deps;
    await Promise.all([
      session.isStored || session.save(),
      leaseKeys.save(),
      store.update({ activity: [...activity.entries], time: trustedTime.reading() }),
    ]);
  }
}

/** If nothing responds, the remaining calls would only time out as well. */
function stopsSync({ code }: Failure): boolean {
  return ['SERVER_UNREACHABLE', 'CANCELED', 'NOT_SIGNED_IN', 'STORE_UNAVAILABLE'].includes(code);
}

/** Returns the detail of the activity entry: a code, `valid` or `not-activated`. */
function summarize(facts: LicenseFacts): string {
  if (facts.validation && !facts.validation.response.valid) return facts.validation.response.code;
  return isActivated(facts) ? 'valid' : 'not-activated';
}
