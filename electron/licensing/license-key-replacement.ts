/** Gives the account's license a new key, which this device adopts if the license is its own. */
import type { CommandInput, CommandOutput } from '../../shared/ipc/ipc-schema.ts';
import { fail, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { DeviceLicense } from './device-license.ts';
import { maskLicenseKey } from './entitlement.ts';
import type { LicenseFacts, LicenseStore } from './license-store.ts';
import type { Random } from './platform.ts';
import type { Session } from './session.ts';

type LicenseKeyReplacementDeps = {
  readonly session: Session;
  readonly store: LicenseStore;
  readonly deviceLicense: DeviceLicense;
  readonly activity: ActivityLog;
  readonly random: Random;
};

export class LicenseKeyReplacement {
  readonly #deps: LicenseKeyReplacementDeps;
  /**
   * The user of a request whose response was lost, and its idempotency key; in memory, as servers keep responses for
   * minutes only.
   */
  #pending: { readonly userId: string | undefined; readonly idempotencyKey: string } | null = null;

  constructor(deps: LicenseKeyReplacementDeps) {
    this.#deps = deps;
  }

  /** Can be repeated after a lost response: the server then returns the new key of that response. */
  async replace({
    password,
    language,
  }: CommandInput<'replaceLicenseKey'>): Promise<Awaited<CommandOutput<'replaceLicenseKey'>>> {
    const { session, store, deviceLicense, activity, random } = this.#deps;
    const before = store.facts;
    const userId = session.user?.id;
    if (this.#pending?.userId !== userId) this.#pending = null;
    this.#pending ??= { userId, idempotencyKey: random.uuid() };
    const { idempotencyKey } = this.#pending;
    const result = await session.call('replaceLicenseKey', { body: { password }, language, idempotencyKey });
    const isWrongPassword = result.kind !== 'success' && result.failure.code === 'INVALID_CREDENTIALS';
    if (result.kind !== 'inconclusive' && !isWrongPassword) this.#pending = null;
    if (result.kind !== 'success') return fail(result.failure);
    const { license_key: licenseKey, license } = result.response;
    activity.add('license-key-replaced', license.key_preview);
    if (isOfThisDevice(before) && store.facts.licenseKey === before.licenseKey)
      await deviceLicense.recordNewKey(licenseKey, before.validation);
    await Promise.all([deviceLicense.validateStored(), deviceLicense.loadStatus()]);
    return succeed({ licenseKey });
  }
}

/** True if the stored key is that of the account's license, or one that the server no longer knows. */
function isOfThisDevice({ licenseKey, status, validation }: LicenseFacts): boolean {
  if (licenseKey === null) return false;
  if (status?.response.license?.key_preview === maskLicenseKey(licenseKey)) return true;
  return validation?.response.valid === false && validation.response.code === 'LICENSE_NOT_FOUND';
}
