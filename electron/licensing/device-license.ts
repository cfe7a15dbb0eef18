/** The license of this device: asks the server about it, and records conclusive responses and local changes. */
import { endpoints } from '../../shared/api/endpoints.ts';
import type { ActivateLicenseResponse, ValidateLicenseResponse, ValidLicense } from '../../shared/api/license.ts';
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import type { ApiResult } from './api-response.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { DeviceIdentity } from './device-id.ts';
import { cleanName, type DeviceName } from './device-name.ts';
import { codeOfServer, toTimestamp, truncateMessage } from './failure.ts';
import { endLease } from './lease.ts';
import type { LicenseFacts, LicenseStore, Writing } from './license-store.ts';
import type { Clock, Machine } from './platform.ts';
import type { Session } from './session.ts';
import type { TrustedTime } from './trusted-time.ts';

type DeviceLicenseDeps = {
  readonly session: Session;
  readonly store: LicenseStore;
  readonly deviceIdentity: DeviceIdentity;
  readonly deviceName: DeviceName;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly trustedTime: TrustedTime;
  readonly changes: ChangeNotifier;
};

export type ActivationRequest = {
  readonly licenseKey: string;
  readonly replaces?: string | undefined;
  /** Not sent again if the answer is lost: by then, this device may have been released. */
  readonly once?: boolean;
};

export class DeviceLicense {
  readonly #deps: DeviceLicenseDeps;
  /** Count what was recorded, so that a response to an older request does not overwrite it. */
  #validations = 0;
  #localChanges = 0;

  constructor(deps: DeviceLicenseDeps) {
    this.#deps = deps;
  }

  /** Validates any key on this device; records nothing. */
  async validate(licenseKey: string): Promise<ApiResult<ValidateLicenseResponse>> {
    const { session, deviceIdentity } = this.#deps;
    const body = { license_key: licenseKey, device_id: deviceIdentity.id };
    return asValidation(await session.call('validateLicense', { body }));
  }

  /** Activates this device, or updates its name if it is already active; records nothing. */
  callActivate({ licenseKey, replaces, once = false }: ActivationRequest): Promise<ApiResult<ActivateLicenseResponse>> {
    const { session, deviceIdentity, deviceName, machine } = this.#deps;
    return session.call('activateLicense', {
      once,
      body: {
        license_key: licenseKey,
        device_id: deviceIdentity.id,
        device_name: deviceName.current,
        platform: cleanName(machine.platform),
        ...(replaces === undefined ? {} : { replaces }),
      },
    });
  }

  /** Validates the stored key and records a conclusive response; `null` if no key is stored. */
  async validateStored(writing: Writing = 'now'): Promise<ApiResult<ValidateLicenseResponse> | null> {
    const { licenseKey } = this.#deps.store.facts;
    if (licenseKey === null) return null;
    const before = this.#validations + this.#localChanges;
    const result = await this.validate(licenseKey);
    const isCurrent = before === this.#validations + this.#localChanges;
    if (result.kind === 'success' && isCurrent && this.#deps.store.facts.licenseKey === licenseKey) {
      await this.#recordValidation({ response: result.response, writing });
    }
    return result;
  }

  /** Loads the account's subscription, license and features, and records a conclusive response. */
  async loadStatus(writing: Writing = 'now'): Promise<ApiResult<SubscriptionStatusResponse>> {
    const before = this.#localChanges;
    const result = await this.#deps.session.call('subscriptionStatus');
    if (result.kind === 'success' && before === this.#localChanges) {
      const status = { response: result.response, at: toTimestamp(this.#deps.clock.now()) };
      await this.#record({ status }, writing);
    }
    return result;
  }

  /** Records a conclusive response about the stored key, or about `newKey`, which is then stored. */
  async recordValidation(
    response: ValidateLicenseResponse,
    newKey?: Pick<LicenseFacts, 'licenseKey' | 'activationId'>,
  ) {
    await this.#recordValidation({ response, newKey });
  }

  /**
   * Records that the server has activated this device; `validation` is the response about the key just before, if any.
   */
  async recordActivation(
    licenseKey: string,
    { activation_id: activationId, activations, max_activations: maxActivations }: ActivateLicenseResponse,
    validation: ValidLicense | null,
  ): Promise<void> {
    this.#localChanges++;
    const at = this.#now();
    await this.#recordConclusive({
      licenseKey,
      activationId,
      givenName: this.#deps.deviceName.given,
      localChange: { kind: 'activated', activations, maxActivations, at },
      validation: validation && { response: validation, at },
    });
  }

  /**
   * Records a new key of this device's license. `validation` is the response about the old key while it was still
   * valid.
   */
  async recordNewKey(licenseKey: string, validation: LicenseFacts['validation']): Promise<void> {
    this.#localChanges++;
    await this.#record({ licenseKey, validation });
  }

  /** Records the key of the imported lease's license; what is known of any other no longer counts here. */
  async recordOfflineKey(licenseKey: string): Promise<void> {
    this.#localChanges++;
    await this.#record({ licenseKey, activationId: null, validation: null, localChange: null });
  }

  /** Records that the server has released this device; the key stays stored for another activation. */
  async recordRelease(): Promise<void> {
    this.#localChanges++;
    const ended = endLease(this.#deps.trustedTime.endMs);
    await this.#record({ ...ended, activationId: null, localChange: { kind: 'released', at: this.#now() } });
  }

  #recordValidation(validation: {
    readonly response: ValidateLicenseResponse;
    readonly newKey?: Pick<LicenseFacts, 'licenseKey' | 'activationId'> | undefined;
    readonly writing?: Writing;
  }): Promise<void> {
    const { response, newKey } = validation;
    this.#validations++;
    const isYes = response.valid && response.already_activated_on_device;
    const ended = isYes ? {} : endLease(this.#deps.trustedTime.endMs);
    // A rejection is stored at once, so that quitting before the sync has saved does not undo it.
    const writing = isYes ? validation.writing : 'now';
    const change = { ...newKey, ...ended, validation: { response, at: this.#now() }, localChange: null };
    return this.#recordConclusive(change, writing);
  }

  #recordConclusive(change: Partial<LicenseFacts>, writing?: Writing): Promise<void> {
    return this.#record({ ...change, time: this.#deps.trustedTime.reading() }, writing);
  }

  async #record(change: Partial<LicenseFacts>, writing?: Writing): Promise<void> {
    const { store, changes } = this.#deps;
    const stored = store.update(change, writing);
    changes.notify();
    await stored;
  }

  /** Server time, from which the grace period counts. */
  #now(): string {
    return toTimestamp(this.#deps.trustedTime.nowMs());
  }
}

/** A server may send an invalid code in the plain error envelope, which is as conclusive as `valid: false`. */
function asValidation(result: ApiResult<ValidateLicenseResponse>): ApiResult<ValidateLicenseResponse> {
  if (result.kind === 'success') return { ...result, response: truncateTexts(result.response) };
  if (result.kind !== 'error') return result;
  const { code, message } = result.failure;
  if (!endpoints.validateLicense.invalidCodes.some((invalidCode) => invalidCode === code)) return result;
  return { kind: 'success', response: { valid: false, error: message, code }, serverTimeMs: null };
}

function truncateTexts(response: ValidateLicenseResponse): ValidateLicenseResponse {
  if (response.valid) return response;
  return { valid: false, error: truncateMessage(response.error), code: codeOfServer(response.code) };
}
