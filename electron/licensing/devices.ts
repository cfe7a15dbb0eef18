/** The account's devices, if the server lists them, and the release of one. */
import type { ActivationsResponse } from '../../shared/api/license.ts';
import type { Replacement } from '../../shared/ipc/activation-outcome.ts';
import type { Capability, Device, LicensePlaces, Loaded } from '../../shared/ipc/app-state.ts';
import { toDevice, toPlaces } from '../../shared/ipc/from-api.ts';
import { type Done, fail, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { DeviceIdentity } from './device-id.ts';
import type { DeviceLicense } from './device-license.ts';
import type { DeviceName } from './device-name.ts';
import { maskLicenseKey } from './entitlement.ts';
import { isEndOfSession } from './failure.ts';
import type { LicenseStore } from './license-store.ts';
import { SerialQueue } from './serial-queue.ts';
import type { Session } from './session.ts';

const notLoaded: Loaded<ActivationsResponse> = { value: null, loading: false, failure: null };

/** Activations and replacements on this device since the server's list was loaded. */
type LocalChanges = { readonly activated: Device | null; readonly replaced: readonly string[] };
const noChanges: LocalChanges = { activated: null, replaced: [] };

type DevicesDeps = {
  readonly session: Session;
  readonly store: LicenseStore;
  readonly deviceLicense: DeviceLicense;
  readonly deviceIdentity: DeviceIdentity;
  readonly deviceName: DeviceName;
  readonly activity: ActivityLog;
  readonly changes: ChangeNotifier;
};

export class Devices {
  readonly #deps: DevicesDeps;
  /** Serializes loads, so that an older list never replaces a newer one. */
  readonly #loads = new SerialQueue();
  #loaded = notLoaded;
  #localChanges = noChanges;
  #capability: Capability = 'unknown';

  constructor(deps: DevicesDeps) {
    this.#deps = deps;
  }

  /** The server's list with the changes made here since. */
  get list(): Loaded<readonly Device[]> {
    const { activated, replaced } = this.#localChanges;
    const ownId = this.#deps.deviceIdentity.loadedId;
    const gone = activated === null ? replaced : [...replaced, activated.activationId];
    const listed = this.#loaded.value?.activations
      .filter((activation) => !gone.includes(activation.activation_id))
      .map((activation) => toDevice(activation, ownId));
    return { ...this.#loaded, value: listed ? [...listed, ...(activated ? [activated] : [])] : null };
  }

  /** Empty if the list was not loaded or the server does not say. */
  get places(): LicensePlaces {
    return toPlaces(this.#loaded.value);
  }

  /** Whether the server lists devices at all. */
  get capability(): Capability {
    return this.#capability;
  }

  /** Reloads the list; keeps the previous one if that fails. */
  load(): Promise<Done> {
    return this.#loads.run(() => this.#load());
  }

  /** Reloads the list, and the account's number of activations, which must agree with it. */
  async refresh(): Promise<Done> {
    const [loaded] = await Promise.all([this.load(), this.#deps.deviceLicense.loadStatus()]);
    return loaded;
  }

  async #load(): Promise<Done> {
    this.#show({ ...this.#loaded, loading: true });
    const changes = this.#localChanges;
    const { session } = this.#deps;
    const result = await session.call('listActivations');
    switch (result.kind) {
      case 'success':
        this.#capability = 'available';
        if (this.#localChanges === changes) this.#localChanges = noChanges;
        this.#show({ value: result.response, loading: false, failure: null });
        return succeed(null);
      case 'unsupported':
        this.#capability = 'missing';
        this.#show(notLoaded);
        return fail(result.failure);
      case 'error':
      case 'inconclusive': {
        const failure = isEndOfSession(result.failure, session) ? null : result.failure;
        this.#show({ ...this.#loaded, loading: false, failure });
        return fail(result.failure);
      }
    }
  }

  /** Reloads the list and returns the devices that this one could replace on the license. */
  async findReplaceable(licenseKey: string): Promise<Replacement> {
    if (this.#capability !== 'missing') {
      const loaded = await this.load();
      if (loaded.ok) return this.#offer(chooseReplaceable(this.list.value ?? [], licenseKey));
      if (loaded.failure.code !== 'NOT_SUPPORTED_BY_SERVER') return { kind: 'list-failed', failure: loaded.failure };
    }
    return { kind: 'not-listed' };
  }

  /**
   * Another installation on this machine (reinstalled, in a container, on a second OS) has another id. It has the same
   * name but is not active, whereas two machines with the same name are both in use.
   */
  #offer(devices: readonly Device[]): Replacement {
    const name = this.#deps.deviceName.current.toLocaleLowerCase();
    const looksAlike = (device: Device) =>
      name !== '' && device.activity !== 'active' && device.name.trim().toLocaleLowerCase() === name;
    const lookAlikes = devices.filter(looksAlike);
    return {
      kind: 'devices',
      devices: [...lookAlikes, ...devices.filter((device) => !looksAlike(device))],
      lookAlikes: lookAlikes.map(({ activationId }) => activationId),
    };
  }

  /** Shows this device as activated, and the replaced one as released, until the list is reloaded. */
  recordActivation(device: Device, replaces: string | undefined): void {
    const replaced = replaces === undefined ? [] : [replaces];
    this.#localChanges = { activated: device, replaced: [...this.#localChanges.replaced, ...replaced] };
  }

  /** True for the activation with which this device works; it may have others, with other licenses. */
  isThisDevice(activationId: string): boolean {
    const own = this.#deps.store.facts.activationId;
    if (own !== null) return activationId === own;
    return this.list.value?.some((each) => each.activationId === activationId && each.isThisDevice) ?? false;
  }

  /**
   * Releases a device; an activation that no longer exists counts as released. If it is this device, its license ends
   * at once, and the key stays stored for another activation.
   */
  async release(activationId: string): Promise<Done> {
    const { activity, deviceLicense, store } = this.#deps;
    const own = store.facts.activationId;
    const device = this.list.value?.find((each) => each.activationId === activationId);
    const isThisDevice = this.isThisDevice(activationId);
    const done = await this.#callRelease(activationId);
    if (!done.ok) return done;
    activity.add('device-released', device?.name ?? null);
    // It may have been activated again meanwhile.
    if (isThisDevice && store.facts.activationId === own) await deviceLicense.recordRelease();
    await this.refresh();
    return done;
  }

  /** Clears the devices of the account that has signed out. */
  forget(): void {
    this.#localChanges = noChanges;
    this.#show(notLoaded);
  }

  /** Called when the server has changed. */
  forgetServer(): void {
    this.#capability = 'unknown';
  }

  async #callRelease(activationId: string): Promise<Done> {
    const params = { activation_id: activationId };
    const result = await this.#deps.session.call('releaseActivation', { params });
    if (result.kind === 'success') return succeed(null);
    return result.kind === 'error' && result.failure.code === 'NOT_FOUND' ? succeed(null) : fail(result.failure);
  }

  #show(loaded: Loaded<ActivationsResponse>): void {
    this.#loaded = loaded;
    this.#deps.changes.notify();
  }
}

/**
 * Returns the other devices of the license, or of all licenses if none has its preview; the least recently seen first.
 */
function chooseReplaceable(devices: readonly Device[], licenseKey: string): Device[] {
  const others = devices.filter((device) => !device.isThisDevice);
  const ofLicense = others.filter((device) => device.keyPreview === maskLicenseKey(licenseKey));
  const candidates = ofLicense.length > 0 ? ofLicense : others;
  return candidates.sort((one, other) => Date.parse(one.lastSeenAt) - Date.parse(other.lastSeenAt));
}
