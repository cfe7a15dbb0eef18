/** Renames this device: locally at once, and on the server as soon as it can be reached. */
import { type Done, fail, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiResult } from './api-response.ts';
import type { DeviceLicense } from './device-license.ts';
import type { DeviceName } from './device-name.ts';
import type { Devices } from './devices.ts';
import { failureNow } from './failure.ts';
import { fileProblemOf } from './file-problem.ts';
import type { LicenseStore } from './license-store.ts';
import type { Clock } from './platform.ts';

type DeviceRenameDeps = {
  readonly deviceName: DeviceName;
  readonly store: LicenseStore;
  readonly deviceLicense: DeviceLicense;
  readonly devices: Devices;
  readonly activity: ActivityLog;
  readonly clock: Clock;
};

const maxLength = 200;

export class DeviceRename {
  readonly #deps: DeviceRenameDeps;

  constructor(deps: DeviceRenameDeps) {
    this.#deps = deps;
  }

  /**
   * Takes up to 200 characters; an empty name restores the host's. A server that cannot be reached gets it with a later
   * sync. Fails with VALIDATION_ERROR, STORE_UNAVAILABLE, or the server's error.
   */
  async rename(name: string): Promise<Done> {
    const { deviceName, deviceLicense, activity, clock } = this.#deps;
    if ([...name.trim()].length > maxLength) {
      return fail(failureNow(clock, 'VALIDATION_ERROR', `A name has at most ${maxLength} characters.`));
    }
    try {
      await deviceName.change(name);
    } catch (error) {
      return fail(failureNow(clock, 'STORE_UNAVAILABLE', 'The name could not be stored.', fileProblemOf(error)));
    }
    activity.add('device-renamed', deviceName.current || null);
    if (!this.#isDue) return succeed(null);
    // Without this check, a device released meanwhile would be activated again.
    const validation = await deviceLicense.validateStored();
    const sent = validation?.kind === 'success' ? await this.sendIfDue() : null;
    return sent?.kind === 'error' ? fail(sent.failure) : succeed(null);
  }

  /**
   * Called within a sync, right after a validation: activating an active device only changes its name. `null` if the
   * server knows the name, or if this device is not activated.
   */
  async sendIfDue(): Promise<ApiResult<unknown> | null> {
    const { deviceName, store, deviceLicense, devices } = this.#deps;
    const { licenseKey, validation, localChange } = store.facts;
    const isActive = validation?.response.valid === true && validation.response.already_activated_on_device;
    if (!this.#isDue || licenseKey === null || localChange !== null || !isActive) return null;
    const { given } = deviceName;
    const result = await deviceLicense.callActivate({ licenseKey, once: true });
    // A server that rejects the name would reject it every time.
    if (result.kind === 'success' || result.kind === 'error') await store.update({ givenName: given });
    if (result.kind === 'success' && devices.capability === 'available') await devices.load();
    return result;
  }

  /** True if the server's name differs from the one that the user has set or reset. */
  get #isDue(): boolean {
    return this.#deps.store.facts.givenName !== this.#deps.deviceName.given;
  }
}
