/** The lease request of a device that is never online, and its license key, kept until the answer is imported. */
import { z } from 'zod';
import type { LeaseRequestFile } from '../../shared/api/lease.ts';
import { fail, type Result, succeed } from '../../shared/ipc/result.ts';
import { chooseKey } from './activation.ts';
import type { DeviceIdentity } from './device-id.ts';
import type { DeviceLicense } from './device-license.ts';
import { cleanName, type DeviceName } from './device-name.ts';
import { maskLicenseKey } from './entitlement.ts';
import { failureNow } from './failure.ts';
import { KeptDocument } from './kept-document.ts';
import type { LicenseStore } from './license-store.ts';
import type { Clock, Log, Machine, SecretStore } from './platform.ts';

const leaseRequestDocument = z.object({ version: z.literal(1), licenseKey: z.string().min(1) });

type LeaseRequestDeps = {
  readonly store: LicenseStore;
  readonly deviceIdentity: DeviceIdentity;
  readonly deviceName: DeviceName;
  readonly deviceLicense: DeviceLicense;
  readonly machine: Machine;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly log: Log;
};

export type MadeLeaseRequest = { readonly request: LeaseRequestFile; readonly fileName: string };

export class LeaseRequest {
  readonly #deps: LeaseRequestDeps;
  readonly #document: KeptDocument<z.infer<typeof leaseRequestDocument>>;

  constructor(deps: LeaseRequestDeps) {
    this.#deps = deps;
    const { secrets, log } = deps;
    this.#document = new KeptDocument({ secrets, log, name: 'lease-request', schema: leaseRequestDocument });
  }

  /** An empty key means the stored one; fails with LICENSE_NOT_FOUND without one. Keeps the key for the answer. */
  async make(typed: string): Promise<Result<MadeLeaseRequest>> {
    const { store, deviceIdentity, deviceName, machine, clock } = this.#deps;
    await deviceIdentity.load();
    const licenseKey = chooseKey(typed, store.facts.licenseKey);
    if (licenseKey === '') return fail(failureNow(clock, 'LICENSE_NOT_FOUND', 'There is no license key yet.'));
    // If it cannot be stored, only the key is missing once the answer is imported.
    await this.#document.load();
    await this.#document.remember({ licenseKey });
    const request = {
      license_key: licenseKey,
      device_id: deviceIdentity.id,
      device_name: deviceName.current,
      platform: cleanName(machine.platform),
    };
    return succeed({ request, fileName: leaseRequestFileName(request) });
  }

  /** Returns the key of the pending request; `null` if there is none or it cannot be read. */
  async readKey(): Promise<string | null> {
    await this.#document.load();
    return this.#document.current?.licenseKey ?? null;
  }

  /** Called after a lease of that license was imported: if it answers the request, its key becomes this device's. */
  async answer(license: string): Promise<void> {
    const { store, deviceLicense } = this.#deps;
    const licenseKey = await this.readKey();
    if (licenseKey === null || maskLicenseKey(licenseKey) !== license) return;
    if (store.facts.licenseKey !== licenseKey) await deviceLicense.recordOfflineKey(licenseKey);
    await this.#document.forget();
  }
}

/** Returns the text of the file for staff. */
export function leaseRequestText(request: LeaseRequestFile): string {
  return `${JSON.stringify(request, null, 2)}\n`;
}

const maxNameInFile = 100;

/** Names the file after the device, without characters that some system forbids in file names. */
export function leaseRequestFileName({ device_name, device_id }: LeaseRequestFile): string {
  const name = [...device_name.replace(/[<>:"/\\|?*\p{C}]+/gu, '-')].slice(0, maxNameInFile).join('').trim();
  return `latchkey-request-${name === '' ? device_id : name}.json`;
}
