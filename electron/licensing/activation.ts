/** Activates this device with a license key; at the device limit, offers the devices that could be replaced. */
import type { ActivateLicenseResponse, InvalidLicense, ValidLicense } from '../../shared/api/license.ts';
import { normalizeLicenseKey } from '../../shared/formats/license-key.ts';
import type { ActivationOutcome } from '../../shared/ipc/activation-outcome.ts';
import { type Failure, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { DeviceIdentity } from './device-id.ts';
import type { ActivationRequest, DeviceLicense } from './device-license.ts';
import type { DeviceName } from './device-name.ts';
import type { Devices } from './devices.ts';
import { isAnotherLicenseInStatus, isStatusCurrent, maskLicenseKey } from './entitlement.ts';
import { failureNow, toTimestamp } from './failure.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Lease } from './lease.ts';
import type { LicenseStore } from './license-store.ts';
import type { Clock, Machine } from './platform.ts';
import type { Sync } from './sync.ts';
import type { TrustedTime } from './trusted-time.ts';

type ActivationDeps = {
  readonly store: LicenseStore;
  readonly deviceLicense: DeviceLicense;
  readonly lease: Lease;
  readonly devices: Devices;
  readonly deviceIdentity: DeviceIdentity;
  readonly deviceName: DeviceName;
  readonly heartbeat: Heartbeat;
  readonly sync: Sync;
  readonly activity: ActivityLog;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly trustedTime: TrustedTime;
};

export type ActivationInput = {
  /** As typed; empty means the stored key. */
  readonly licenseKey: string;
  /** The activation to release in the same step. */
  readonly replaces?: string;
};

type Outcome = Promise<Result<ActivationOutcome>>;

export class Activation {
  readonly #deps: ActivationDeps;

  constructor(deps: ActivationDeps) {
    this.#deps = deps;
  }

  /**
   * A successful activation takes four requests, including the lease and the heartbeat that follows. If the status
   * already has the license's features, or cannot have them because it is about another license, the key is validated
   * and activated. Otherwise it is activated and the status is loaded; a failed activation is then validated to get the
   * precise reason. A fifth request is needed only if the plan has changed since the last status.
   */
  async activate({ licenseKey: typed, replaces }: ActivationInput): Outcome {
    const { facts } = this.#deps.store;
    const licenseKey = chooseKey(typed, facts.licenseKey);
    const factsOfKey = { ...facts, licenseKey, validation: licenseKey === facts.licenseKey ? facts.validation : null };
    const statusIsFinal = isStatusCurrent(factsOfKey) || isAnotherLicenseInStatus(factsOfKey);
    const request = { licenseKey, replaces };
    return statusIsFinal ? this.#validateAndActivate(request) : this.#activateDirectly(request);
  }

  async #validateAndActivate(request: ActivationRequest): Outcome {
    const validation = await this.#deps.deviceLicense.validate(request.licenseKey);
    if (validation.kind !== 'success') return fail(validation.failure);
    if (!validation.response.valid) return this.#reject(request.licenseKey, validation.response);
    if (validation.response.already_activated_on_device)
      return this.#keepActive(request.licenseKey, validation.response);
    const result = await this.#deps.deviceLicense.callActivate(request);
    if (result.kind === 'success') return this.#succeed(request, result.response, validation.response);
    return this.#failOrReachLimit(request, result.failure, validation.response.max_activations);
  }

  async #activateDirectly(request: ActivationRequest): Outcome {
    const result = await this.#deps.deviceLicense.callActivate(request);
    if (result.kind === 'success') return this.#succeed(request, result.response, null);
    if (result.kind !== 'error') return fail(result.failure);
    // Only a validation gives the precise reason: revoked, expired, or already active on this device.
    const validation = await this.#deps.deviceLicense.validate(request.licenseKey);
    const license = validation.kind === 'success' ? validation.response : null;
    if (license?.valid === false) return this.#reject(request.licenseKey, license);
    if (license?.already_activated_on_device) return this.#keepActive(request.licenseKey, license);
    return this.#failOrReachLimit(request, result.failure, license?.max_activations ?? null);
  }

  /** A rejection of the stored key is recorded for this device; one of another key is only shown. */
  async #reject(licenseKey: string, { code, error }: InvalidLicense): Outcome {
    const { store, deviceLicense, clock } = this.#deps;
    if (licenseKey === store.facts.licenseKey) await deviceLicense.recordValidation({ valid: false, code, error });
    return fail(failureNow(clock, code, error));
  }

  async #keepActive(licenseKey: string, license: ValidLicense): Outcome {
    const { store, deviceLicense, devices } = this.#deps;
    this.#announce();
    const activationId = licenseKey === store.facts.licenseKey ? store.facts.activationId : null;
    await deviceLicense.recordValidation(license, { licenseKey, activationId });
    if (activationId === null && devices.capability !== 'missing') await devices.load();
    return this.#finish(license);
  }

  async #succeed(
    request: ActivationRequest,
    response: ActivateLicenseResponse,
    validation: ValidLicense | null,
  ): Outcome {
    const { deviceLicense, devices } = this.#deps;
    this.#announce();
    const recorded = deviceLicense.recordActivation(request.licenseKey, response, validation);
    devices.recordActivation(this.#ownDevice(request.licenseKey, response.activation_id), request.replaces);
    await recorded;
    return this.#finish(response);
  }

  /** Called as soon as the server has answered: later, another user may be signed in. */
  #announce(): void {
    const { heartbeat, activity, deviceName } = this.#deps;
    // Added even if this device was already active: the user asked for it, and the entry confirms it.
    activity.add('device-activated', deviceName.current || null);
    heartbeat.clearWarnings();
  }

  /** Loads only what no response has contained yet: the plan and all of its features. */
  async #finish(counts: Pick<ValidLicense, 'activations' | 'max_activations'>): Outcome {
    const { store, deviceLicense, lease, sync } = this.#deps;
    const knowsStatus =
      isStatusCurrent(store.facts) || (store.facts.validation && isAnotherLicenseInStatus(store.facts));
    if (!knowsStatus) await deviceLicense.loadStatus();
    // Other servers may mask keys differently, so the status may not match this key.
    if (!store.facts.validation && !isStatusCurrent(store.facts)) await deviceLicense.validateStored();
    // Where a lease is needed, no feature is on without one.
    if (lease.isOffered) await lease.renew();
    sync.sendHeartbeatSoon();
    const { activations, max_activations: maxActivations } = counts;
    return succeed({ kind: 'activated', activations, maxActivations });
  }

  /**
   * At the device limit, offers devices to replace; they are reloaded each time, also when a replacement met the limit.
   * With `Retry-After`, replacing a device does not help before a place becomes free, unless it was about the device to
   * be replaced.
   */
  async #failOrReachLimit(request: ActivationRequest, failure: Failure, maxActivations: number | null): Outcome {
    if (failure.code !== 'MAX_ACTIVATIONS_REACHED') return fail(failure);
    const { devices, trustedTime } = this.#deps;
    const { licenseKey, replaces } = request;
    const waitMs = (failure.retryAfterSeconds ?? 0) * 1000;
    const placeFreeAt = waitMs === 0 ? null : toTimestamp(trustedTime.nowMs() + waitMs);
    const replacement =
      placeFreeAt !== null && replaces === undefined
        ? ({ kind: 'wait' } as const)
        : await devices.findReplaceable(licenseKey);
    return succeed({ kind: 'device-limit-reached', maxActivations, placeFreeAt, replacement });
  }

  #ownDevice(licenseKey: string, activationId: string) {
    const { deviceIdentity, deviceName, machine, clock } = this.#deps;
    const now = toTimestamp(clock.now());
    return {
      activationId,
      keyPreview: maskLicenseKey(licenseKey),
      deviceId: deviceIdentity.id,
      name: deviceName.current,
      platform: machine.platform,
      activatedAt: now,
      lastSeenAt: now,
      activity: 'active',
      isThisDevice: true,
    } as const;
  }
}

/** Returns the typed key in its normal form; the stored key if nothing was typed, or an empty string without one. */
export function chooseKey(typed: string, storedKey: string | null): string {
  const text = typed.trim();
  if (text === '' && storedKey !== null) return storedKey;
  return normalizeLicenseKey(text) ?? text;
}
