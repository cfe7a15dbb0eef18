/** Caches the warnings decided within the last minute, so that a repeated heartbeat needs no query. */
import { LRUCache } from 'lru-cache';
import { isRecordDue } from '../activations/activation.rules.ts';
import { upTo } from '../cache-size.ts';
import type { Warning } from './heartbeat.rules.ts';

/** When a device was last used by a user from a network, recorded at most once a minute. */
export type SeenDevice = {
  readonly userId: string;
  readonly deviceId: string;
  readonly network: string;
  /** Identifier of this start of the app; empty if the app sends none. */
  readonly instance: string;
  readonly lastSeenAtMs: number;
};

/**
 * Cached account and plans that a warning was based on. A change replaces these objects, which invalidates the warning.
 */
type Basis = { readonly account: object; readonly plans: object };

/** Numbers of the last activity of a user and of a device in this process. */
export type Version = { readonly ofUser: number; readonly ofDevice: number };

type Decision = { readonly warning: Warning | undefined; readonly basis: Basis; readonly version: Version };

/**
 * Last activity of a device in this process, and what was decided after it. A single flat object, because there are
 * tens of thousands of them and the garbage collector visits them all again while new devices keep arriving.
 */
type DeviceState = {
  /** Number of the activity. */
  activity: number;
  /** User of the decision; `undefined` if nothing was decided since that activity. */
  userId: string | undefined;
  network: string;
  instance: string;
  recordedAtMs: number;
  warning: Warning | undefined;
  account: object | undefined;
  plans: object | undefined;
  activityOfUser: number;
};

const maxWarnings = 50_000;

export class RecentWarnings {
  readonly #devices = new LRUCache<string, DeviceState>(upTo(maxWarnings));
  // Number of each user's last activity. Numbers are never reused, so an evicted entry gets a new one.
  readonly #ofUsers = new LRUCache<string, number>(upTo(maxWarnings));
  #count = 0;

  /**
   * Returns what was decided for this device, user, network and instance if it still holds: recorded within the last
   * minute, on the same basis, with no other activity of the user or the device in this process since. For a device
   * shared by several users, networks or instances, only the last decision is known.
   */
  find(seen: SeenDevice, basis: Basis): Pick<Decision, 'warning'> | undefined {
    const state = this.#devices.get(seen.deviceId);
    if (!state || state.userId !== seen.userId) return undefined;
    if (state.network !== seen.network || state.instance !== seen.instance) return undefined;
    if (isRecordDue(state.recordedAtMs, seen.lastSeenAtMs)) return undefined;
    const isSameBasis = state.account === basis.account && state.plans === basis.plans;
    return isSameBasis && this.#ofUsers.get(seen.userId) === state.activityOfUser ? state : undefined;
  }

  /** Returns the current version. Call this before reading the activity that the warning is based on. */
  versionOf({ userId, deviceId }: SeenDevice): Version {
    return {
      ofUser: getOrSet(this.#ofUsers, userId, () => ++this.#count),
      ofDevice: getOrSet(this.#devices, deviceId, () => newState(++this.#count)).activity,
    };
  }

  /**
   * Invalidates the warnings of the user and of the device. Returns the version that includes this activity;
   * `undefined` if there was other activity after the version `before`.
   */
  recordActivity(seen: SeenDevice, before: Version): Version | undefined {
    const { userId, deviceId } = seen;
    const isNext = this.#isCurrent(seen, before);
    const activity = ++this.#count;
    this.#ofUsers.set(userId, activity);
    const state = getOrSet(this.#devices, deviceId, () => newState(activity));
    state.activity = activity;
    state.userId = undefined;
    return isNext ? { ofUser: activity, ofDevice: activity } : undefined;
  }

  /** Caches a decision. `recorded` is the record in the database that the heartbeat added or found. */
  remember(recorded: SeenDevice, { warning, basis, version }: Decision): void {
    const state = this.#devices.get(recorded.deviceId);
    if (state?.activity !== version.ofDevice) return;
    state.userId = recorded.userId;
    state.network = recorded.network;
    state.instance = recorded.instance;
    state.recordedAtMs = recorded.lastSeenAtMs;
    state.warning = warning;
    state.account = basis.account;
    state.plans = basis.plans;
    state.activityOfUser = version.ofUser;
  }

  #isCurrent({ userId, deviceId }: SeenDevice, { ofUser, ofDevice }: Version): boolean {
    return this.#ofUsers.get(userId) === ofUser && this.#devices.get(deviceId)?.activity === ofDevice;
  }
}

function newState(activity: number): DeviceState {
  return {
    activity,
    userId: undefined,
    network: '',
    instance: '',
    recordedAtMs: 0,
    warning: undefined,
    account: undefined,
    plans: undefined,
    activityOfUser: 0,
  };
}

function getOrSet<V extends NonNullable<unknown>>(cache: LRUCache<string, V>, key: string, make: () => V): V {
  const value = cache.get(key) ?? make();
  cache.set(key, value);
  return value;
}
