/** Caches the warnings that were decided in the last minute, so that a repeated heartbeat needs no query. */
import { isRecordDue } from '../activations/activation.rules.ts';
import { RecentMap } from '../recent-map.ts';

/** When a device was last used by a user from a network, recorded at most once a minute. */
export type SeenDevice = {
  readonly userId: string;
  readonly deviceId: string;
  readonly network: string;
  readonly lastSeenAtMs: number;
};

/** The cached account and plans that a warning was decided by. A change replaces the objects and so ends the warning. */
export type Basis = { readonly account: object; readonly plans: object };

/** The numbers of the last activity of a user and of a device in this process. */
export type Version = { readonly ofUser: number; readonly ofDevice: number };

type Decision = { readonly warning: string | undefined; readonly basis: Basis; readonly version: Version };

type Decided = Decision & { readonly recordedAtMs: number };

const maxWarnings = 50_000;

export class RecentWarnings {
  readonly #decided = new RecentMap<string, Decided>(maxWarnings);
  // The number of the last activity of each. Numbers are never reused, so an entry that was dropped gets a new one.
  readonly #ofUsers = new RecentMap<string, number>(maxWarnings);
  readonly #ofDevices = new RecentMap<string, number>(maxWarnings);
  #count = 0;

  /**
   * What was decided for this device, user and network, if it still holds: recorded in the last minute, on the same basis,
   * with no other activity of the user or of the device in this process since.
   */
  find(seen: SeenDevice, basis: Basis | undefined): Pick<Decided, 'warning'> | undefined {
    const decided = basis && this.#decided.get(keyOf(seen));
    if (!decided || isRecordDue(decided.recordedAtMs, seen.lastSeenAtMs)) return undefined;
    const isSameBasis = decided.basis.account === basis.account && decided.basis.plans === basis.plans;
    return isSameBasis && this.#isCurrent(seen, decided.version) ? decided : undefined;
  }

  /** Call it before reading the activity that the warning is decided by. */
  versionOf({ userId, deviceId }: SeenDevice): Version {
    return {
      ofUser: this.#ofUsers.getOrMake(userId, () => ++this.#count),
      ofDevice: this.#ofDevices.getOrMake(deviceId, () => ++this.#count),
    };
  }

  /**
   * Invalidates the warnings of the user and of the device. Returns the version that includes this activity; `undefined` if
   * there was other activity after the version `before`.
   */
  noteActivity(seen: SeenDevice, before: Version): Version | undefined {
    const isNext = this.#isCurrent(seen, before);
    this.#ofUsers.set(seen.userId, ++this.#count);
    this.#ofDevices.set(seen.deviceId, this.#count);
    return isNext ? { ofUser: this.#count, ofDevice: this.#count } : undefined;
  }

  /** `recorded` is the record in the database that the heartbeat added or found. */
  remember(recorded: SeenDevice, decision: Decision): void {
    this.#decided.set(keyOf(recorded), { ...decision, recordedAtMs: recorded.lastSeenAtMs });
  }

  #isCurrent({ userId, deviceId }: SeenDevice, { ofUser, ofDevice }: Version): boolean {
    return this.#ofUsers.get(userId) === ofUser && this.#ofDevices.get(deviceId) === ofDevice;
  }
}

function keyOf({ deviceId, userId, network }: SeenDevice): string {
  return `${deviceId} ${userId} ${network}`;
}
