/** The devices on licenses: activates, replaces, lists and releases them. */
import type { z } from 'zod';
import {
  type ActivateLicenseResponse,
  type Activation,
  type activateLicenseRequest,
  type DeviceAllowance,
  describeDeviceAllowance,
  type ReleaseResponse,
} from '../../shared/api/license.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.service.ts';
import type { Clock } from '../clock.ts';
import type { Database, Executor, Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { isUuid, newUuid, type Random } from '../random.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import {
  type ActivationRow,
  changeActivation,
  countActiveActivations,
  deleteReleasedSince,
  findActiveActivation,
  findLicense,
  findLicenseUse,
  insertActivation,
  listActiveActivations,
  listLicensesWithDevice,
  listReleasedDevices,
  lockLicense,
  releaseActivation,
  touchActivations,
} from './activation.repository.ts';
import {
  type ActivationInput,
  type ActivationUsage,
  allowanceWindowMs,
  decideActivation,
  describeUsage,
  isRecordDue,
} from './activation.rules.ts';
import { toActivation } from './describe-activation.ts';

/** What activations need to know of a license. */
type License = {
  readonly id: string;
  readonly plan: string;
  readonly max_activations: number;
  readonly user_id: string | null;
  readonly key_preview: string;
};

/** The fields of an activation request that describe the device, for which account and on whose behalf it is activated. */
type DeviceRequest = Omit<z.output<typeof activateLicenseRequest>, 'license_key'> & {
  /** The owner of the license, or the account that becomes its owner by this. */
  readonly userId: string;
  readonly by: AuditContext;
};

/** `isKnownDevice`: whether the license was used on the device lately, see `ActivationInput`. */
type NewDevice = DeviceRequest & { readonly isKnownDevice: boolean };

/** An activation that is released, of which license, and on whose behalf. */
type Release = {
  readonly activation: Pick<ActivationRow, 'id' | 'device_id'>;
  readonly license: Pick<License, 'id' | 'user_id' | 'key_preview'>;
  readonly by: AuditContext;
};

/** How a license is used, and whether the use of the device is to be recorded. */
export type LicenseUsage = ActivationUsage & { readonly isRecordDue: boolean };

export type DeviceActivation = {
  /** Whether the user has any license. */
  readonly hasLicense: boolean;
  /** Whether the device is active on one of them. */
  readonly isActivated: boolean;
};

export type ActivationServiceDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly auditLog: AuditLog;
  readonly outbox: EventOutbox;
};

/** A device that comes back sooner leaves no trace of its earlier activation. */
const traceAfterMs = 24 * 60 * 60 * 1000;
/** From so few new devices left on, the response of an activation says so. */
const lastNewDevices = 1;

export class ActivationService {
  readonly #deps: ActivationServiceDeps;

  constructor(deps: ActivationServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Activates the device on a usable license, within the transaction that locked the license and found it usable. A device that is
   * active already only gets its name, platform and time of use updated.
   * Throws `ApiError` MAX_ACTIVATIONS_REACHED, or NOT_FOUND where `replaces` is not active on this license.
   */
  async activate(transaction: Transaction, license: License, request: DeviceRequest): Promise<ActivateLicenseResponse> {
    const input = await this.#readInput(transaction, license, request.device_id);
    const { activeCount } = input;
    const decision = decideActivation({
      ...input,
      replaced: await findReplaced(transaction, license, request.replaces),
    });
    switch (decision.action) {
      case 'keep': {
        await this.#update(transaction, decision.activation, request);
        return toResponse(license, decision.activation.id, activeCount, 'This device was already activated.');
      }
      case 'activate': {
        const { release, allowance } = decision;
        if (release) await this.#release(transaction, { activation: release, license, by: request.by });
        const id = await this.#insert(transaction, license, { ...request, isKnownDevice: input.isKnownDevice });
        const hint = allowance && allowance.remaining <= lastNewDevices ? ` ${describeDeviceAllowance(allowance)}` : '';
        if (!release) return toResponse(license, id, activeCount + 1, `This device is activated.${hint}`);
        return toResponse(license, id, activeCount, `This device is activated and replaces the other one.${hint}`);
      }
      case 'reject':
        switch (decision.reason) {
          case 'limit_reached':
            throw new ApiError('MAX_ACTIVATIONS_REACHED');
          case 'allowance_used':
            throw new ApiError('MAX_ACTIVATIONS_REACHED', allowanceUsedMessage(decision.allowance));
          case 'replaced_not_found':
            throw new ApiError('NOT_FOUND', 'The device to replace is not active on this license.');
        }
    }
  }

  /** How the license is used now, and whether the device could be activated. */
  async readUsage(license: License, deviceId: string): Promise<LicenseUsage> {
    const input = await this.#readInput(this.#deps.database.read, license, deviceId);
    return {
      ...describeUsage(input),
      isRecordDue: input.existing !== undefined && isRecordDue(input.existing.last_seen_at_ms, input.nowMs),
    };
  }

  /** How many devices are active on the license. */
  countActive(licenseId: string): Promise<number> {
    return countActiveActivations(this.#deps.database.read, licenseId);
  }

  /** The active devices on all licenses of the user, least recently seen first. */
  async list(userId: string): Promise<Activation[]> {
    const { database, clock } = this.#deps;
    return (await listActiveActivations(database.read, { userId })).map((row) => toActivation(row, clock.now()));
  }

  /** The active devices of these licenses by the id of the license, for an admin. */
  async listByLicense(licenseIds: readonly string[]): Promise<ReadonlyMap<string, Activation[]>> {
    const { database, clock } = this.#deps;
    const rows = licenseIds.length === 0 ? [] : await listActiveActivations(database.read, { licenseIds });
    const byLicense = Map.groupBy(rows, (row) => row.license_id);
    const nowMs = clock.now();
    return new Map([...byLicense].map(([id, rows]) => [id, rows.map((row) => toActivation(row, nowMs))]));
  }

  /** Releases an activation on a license of the user. Throws `ApiError` NOT_FOUND. */
  async release(userId: string, activationId: string, by: AuditContext): Promise<ReleaseResponse> {
    return this.#deps.database.write(async (transaction) => {
      // The id may be any text, also one that PostgreSQL rejects.
      if (isUuid(activationId)) await lockLicense(transaction, { activationId });
      const active = await listActiveActivations(transaction, { userId });
      const activation = active.find(({ id }) => id === activationId);
      if (!activation) throw new ApiError('NOT_FOUND', 'No such device is active on your licenses.');
      const { license_id, max_activations, key_preview } = activation;
      await this.#release(transaction, { activation, license: { id: license_id, user_id: userId, key_preview }, by });
      return { success: true, activations: await countActiveActivations(transaction, license_id), max_activations };
    });
  }

  /** Releases the device from the license, for an admin. Throws `ApiError` NOT_FOUND. */
  async releaseDevice(licenseId: string, deviceId: string, by: AuditContext): Promise<void> {
    await this.#deps.database.write(async (transaction) => {
      await lockLicense(transaction, { id: licenseId });
      const activation = await findActiveActivation(transaction, licenseId, { device_id: deviceId });
      if (!activation) throw new ApiError('NOT_FOUND', 'This device is not active on this license.');
      await this.#release(transaction, { activation, license: await findLicense(transaction, licenseId), by });
    });
  }

  /** Whether the user has a license, and whether the device is active on one. */
  async readDeviceActivation(userId: string, deviceId: string): Promise<DeviceActivation> {
    const rows = await listLicensesWithDevice(this.#deps.database.read, userId, deviceId);
    return { hasLicense: rows.length > 0, isActivated: rows.some(({ activation_id }) => activation_id !== null) };
  }

  /** Records, within a write, that the devices are in use: each on all licenses of its user. */
  async markSeen(
    transaction: Transaction,
    devices: readonly { readonly user_id: string; readonly device_id: string }[],
  ): Promise<void> {
    await touchActivations(transaction, devices, this.#deps.clock.now());
  }

  /** What the decision needs to know, for a request that replaces no device. */
  async #readInput(executor: Executor, license: License, deviceId: string): Promise<ActivationInput<ActivationRow>> {
    const nowMs = this.#deps.clock.now();
    const sinceMs = nowMs - allowanceWindowMs;
    const use = await findLicenseUse(executor, { licenseId: license.id, plan: license.plan, deviceId, sinceMs });
    if (!use) throw new ApiError('NOT_FOUND', `There is no plan named "${license.plan}".`);
    const released = use.released === 0 ? [] : await listReleasedDevices(executor, license.id, sinceMs);
    return {
      existing: use.existing,
      replaced: undefined,
      activeCount: use.active,
      maxActivations: license.max_activations,
      newDevices: use.newDevices,
      releasedAtMs: released.map(({ released_at_ms }) => released_at_ms),
      isKnownDevice: released.some(({ device_id }) => device_id === deviceId),
      nowMs,
    };
  }

  async #insert(transaction: Transaction, license: License, request: NewDevice): Promise<string> {
    const { clock, random } = this.#deps;
    const nowMs = clock.now();
    const id = newUuid(nowMs, random);
    if (request.isKnownDevice) {
      const sinceMs = nowMs - traceAfterMs;
      await deleteReleasedSince(transaction, { licenseId: license.id, deviceId: request.device_id, sinceMs });
    }
    const row = {
      id,
      license_id: license.id,
      device_id: request.device_id,
      device_name: request.device_name,
      platform: request.platform,
      activated_at_ms: nowMs,
      last_seen_at_ms: nowMs,
      released_at_ms: null,
    };
    await insertActivation(transaction, row, license.user_id);
    await this.#deps.auditLog.record(transaction, {
      ...request.by,
      action: 'license.activate',
      target: { kind: 'license', id: license.id, label: license.key_preview },
      details: {
        device_id: row.device_id,
        device_name: row.device_name,
        // The first account that activates a license without an owner becomes its owner.
        ...(license.user_id === null && { claimed: true }),
      },
    });
    const { device_id, device_name, platform } = row;
    const device = { device_id, device_name, platform };
    await this.#deps.outbox.add(transaction, {
      type: 'license.activated',
      userId: request.userId,
      data: { ...describe(license), plan: license.plan, activation_id: id, ...device },
    });
    return id;
  }

  /** A request without a name or platform leaves the stored one. */
  async #update(transaction: Transaction, activation: ActivationRow, request: DeviceRequest): Promise<void> {
    await changeActivation(transaction, activation.id, {
      device_name: request.device_name || activation.device_name,
      platform: request.platform || activation.platform,
      last_seen_at_ms: this.#deps.clock.now(),
    });
  }

  async #release(transaction: Transaction, { activation, license, by }: Release): Promise<void> {
    const { clock, auditLog, outbox } = this.#deps;
    await releaseActivation(transaction, activation.id, { owner: license.user_id, nowMs: clock.now() });
    await auditLog.record(transaction, {
      ...by,
      action: 'license.release',
      target: { kind: 'license', id: license.id, label: license.key_preview },
      details: { device_id: activation.device_id },
    });
    await outbox.add(transaction, {
      type: 'license.released',
      userId: license.user_id,
      data: { ...describe(license), activation_id: activation.id, device_id: activation.device_id },
    });
  }
}

function describe({ id, key_preview }: Pick<License, 'id' | 'key_preview'>) {
  return { license_id: id, key_preview };
}

function toResponse(license: License, id: string, activeCount: number, message: string): ActivateLicenseResponse {
  const { max_activations } = license;
  return { success: true, activation_id: id, activations: activeCount, max_activations, message };
}

function allowanceUsedMessage(allowance: DeviceAllowance): string {
  return `This license was used on too many different devices. ${describeDeviceAllowance(allowance)} The devices that it was used on in the last 30 days can still be activated.`;
}

async function findReplaced(
  transaction: Transaction,
  license: License,
  replaces: string | undefined,
): Promise<ActivationRow | 'unknown' | undefined> {
  if (replaces === undefined) return undefined;
  // The id may be any text, also one that PostgreSQL rejects.
  if (!isUuid(replaces)) return 'unknown';
  return (await findActiveActivation(transaction, license.id, { id: replaces })) ?? 'unknown';
}
