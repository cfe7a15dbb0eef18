/** Activates, replaces, lists and releases the devices of licenses. */
import type { z } from 'zod';
import type { LicensedDevice } from '../../shared/api/admin/devices.ts';
import type {
  ActivateLicenseResponse,
  ActivationsResponse,
  activateLicenseRequest,
  ReleasedDevice,
  ReleaseResponse,
} from '../../shared/api/license.ts';
import type { ActivationSnapshot, LicenseSnapshot } from '../account-snapshots/account-snapshot.ts';
import { type AuditContext, type AuditDetails, licenseTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { dayMs, toIso } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { isUuid, newUuid } from '../random.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import * as repository from './activation.repository.ts';
import {
  type ActivationDecision,
  type ActivationInput,
  countPlacesInUse,
  decideActivation,
  isKept,
  isLittle,
  readActivationInput,
} from './activation.rules.ts';
import { toActivation, toLicensedDevice, toReleasedDevice } from './describe-activation.ts';
import { allowanceUsed, describeDeviceAllowance, noPlaceUntil, replacedKeepsPlace } from './place-messages.ts';

/** A license that the request may use, with the limits of its plan. */
type UsableLicense = { readonly license: LicenseSnapshot; readonly plan: { readonly new_devices_per_month: number } };

/** The device fields of an activation request, with the account and the actor of the activation. */
type DeviceRequest = Omit<z.output<typeof activateLicenseRequest>, 'license_key'> & {
  /** Owner of the license, or the account that becomes its owner with this activation. */
  readonly userId: string;
  readonly by: AuditContext;
};

/** A device to activate, with what is known from its earlier activation, see `ActivationInput`. */
type NewDevice = DeviceRequest & Pick<ActivationInput, 'isKnownDevice' | 'ownLeaseEndMs'>;

type Rejection = Extract<ActivationDecision, { action: 'reject' }>;

/** The active devices of a license, and the released ones that keep their place. */
type LicensedDevices = { readonly active: LicensedDevice[]; readonly kept: ReleasedDevice[] };

/** An activation to release, with its license and the actor. */
type Release = {
  readonly activation: Omit<ActivationSnapshot, 'lastSeenAtMs'>;
  readonly license: Pick<LicenseSnapshot, 'id' | 'user_id' | 'key_preview'>;
  readonly by: AuditContext;
};

type ActivationServiceDeps = Pick<AuditedDeps, 'database' | 'clock' | 'random' | 'auditLog'> & {
  readonly outbox: EventOutbox;
};

/** If a device is activated again within this time, its earlier activation is deleted. */
const reactivatedWithinMs = dayMs;

export class ActivationService {
  readonly #deps: ActivationServiceDeps;

  constructor(deps: ActivationServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Activates the device on a usable license, within the transaction that locked and checked the license. For a device
   * that is already active, only updates its name, platform and time of use. Throws `ApiError` MAX_ACTIVATIONS_REACHED,
   * or NOT_FOUND if `replaces` is not active on this license.
   */
  async activate(
    transaction: Transaction,
    { license, plan }: UsableLicense,
    request: DeviceRequest,
  ): Promise<ActivateLicenseResponse> {
    const nowMs = this.#deps.clock.now();
    const input = readActivationInput(license, plan, { deviceId: request.device_id, nowMs });
    const replaced = findReplaced(license, request.replaces);
    const decision = decideActivation({ ...input, replaced });
    switch (decision.action) {
      case 'keep': {
        await this.#update(transaction, decision.activation.id, request);
        const placesInUse = countPlacesInUse(license, nowMs);
        return toResponse(license, decision.activation.id, placesInUse, 'This device was already activated.');
      }
      case 'activate': {
        const { release, placesInUse, allowance } = decision;
        if (release) await this.#release(transaction, { activation: release, license, by: request.by });
        const { isKnownDevice, ownLeaseEndMs } = input;
        const id = await this.#insert(transaction, license, { ...request, isKnownDevice, ownLeaseEndMs });
        const hint = allowance && isLittle(allowance) ? ` ${describeDeviceAllowance(allowance)}` : '';
        const message = release ? 'This device is activated and replaces the other one.' : 'This device is activated.';
        return toResponse(license, id, placesInUse, `${message}${hint}`);
      }
      case 'reject':
        throw this.#describeRejection(decision, { license, request });
    }
  }

  /**
   * Returns the devices on all licenses of the user: the active ones, least recently seen first, and
   * released ones that keep their place.
   */
  async list(userId: string): Promise<ActivationsResponse> {
    const { database, clock } = this.#deps;
    const nowMs = clock.now();
    const active = await repository.listActiveActivations(database.read, { userId });
    const kept = await repository.listKeptPlaces(database.read, { userId, nowMs });
    return {
      activations: active.map((row) => toActivation(row, nowMs)),
      ...(kept.length > 0 && { released_devices: kept.map(toReleasedDevice) }),
    };
  }

  /** Returns a lookup of the devices by license id, for admins. */
  async listByLicense(licenseIds: readonly string[]): Promise<(licenseId: string) => LicensedDevices> {
    const { database, clock } = this.#deps;
    if (licenseIds.length === 0) return () => ({ active: [], kept: [] });
    const nowMs = clock.now();
    const byLicense = (row: { readonly license_id: string }) => row.license_id;
    const active = Map.groupBy(await repository.listActiveActivations(database.read, { licenseIds }), byLicense);
    const kept = Map.groupBy(await repository.listKeptPlaces(database.read, { licenseIds, nowMs }), byLicense);
    return (id) => ({
      active: (active.get(id) ?? []).map((row) => toLicensedDevice(row, nowMs)),
      kept: (kept.get(id) ?? []).map(toReleasedDevice),
    });
  }

  /**
   * Releases an activation on a license of the user. A device with a lease keeps its place until the lease ends.
   * Throws `ApiError` NOT_FOUND.
   */
  async release(userId: string, activationId: string, by: AuditContext): Promise<ReleaseResponse> {
    return this.#deps.database.write(async (transaction) => {
      // The id may be any text, including text that PostgreSQL rejects.
      if (isUuid(activationId)) await repository.lockLicense(transaction, { activationId });
      const active = await repository.listActiveActivations(transaction, { userId });
      const activation = active.find(({ id }) => id === activationId);
      if (!activation) throw new ApiError('NOT_FOUND', 'No such device is active on your licenses.');
      const { license_id, max_activations, key_preview } = activation;
      const license = { id: license_id, user_id: userId, key_preview };
      await this.#release(transaction, { activation: toSnapshot(activation), license, by });
      const places = { licenseId: license_id, nowMs: this.#deps.clock.now() };
      return { success: true, activations: await repository.countPlacesInUse(transaction, places), max_activations };
    });
  }

  /**
   * For an admin, releases the device from the license and frees its place at once. Also works for a device that was
   * released earlier and keeps its place. Throws `ApiError` NOT_FOUND.
   */
  async releaseDevice(licenseId: string, deviceId: string, by: AuditContext): Promise<void> {
    const nowMs = this.#deps.clock.now();
    await this.#deps.database.write(async (transaction) => {
      await repository.lockLicense(transaction, { id: licenseId });
      const active = await repository.findActiveActivation(transaction, licenseId, deviceId);
      const kept = active ? [] : await repository.listKeptPlaces(transaction, { licenseIds: [licenseId], nowMs });
      const activation = active ?? kept.find(({ device_id }) => device_id === deviceId);
      if (!activation) throw new ApiError('NOT_FOUND', 'This device is not active on this license.');
      const license = await repository.getLicense(transaction, licenseId);
      const release = { activation: toSnapshot(activation), license, by };
      if (active) await this.#endActivation(transaction, release);
      // Until its lease ends, the device may still work offline, without a place.
      const hasPlace = isKept(activation.lease_expires_at_ms, nowMs);
      if (hasPlace) await repository.freePlace(transaction, { licenseId, deviceId });
      await this.#recordRelease(transaction, release, hasPlace && { place_freed: true });
    });
  }

  /**
   * Locks the licenses on which a device of the user is active, for a lease that is based on one of them. Returns their
   * ids.
   */
  lockLicensesOnDevice(
    transaction: Transaction,
    on: { readonly userId: string; readonly deviceId: string },
  ): Promise<string[]> {
    return repository.lockLicensesOnDevice(transaction, on);
  }

  /**
   * Records, within the transaction that locked the license, until when the active device may work offline. If it is
   * released before that, it keeps its place. Never shortens an earlier lease.
   */
  async recordLease(transaction: Transaction, activationId: string, leaseEndMs: number): Promise<void> {
    await repository.extendLease(transaction, { id: activationId, leaseEndMs });
  }

  /** Records, within a write, that the devices are in use, each on all licenses of its user. */
  async markSeen(transaction: Transaction, devices: readonly repository.UserDevice[]): Promise<void> {
    await repository.touchActivations(transaction, devices, this.#deps.clock.now());
  }

  /** Records, within a write, that several installations use each device. */
  async markSeveralInstallations(transaction: Transaction, devices: readonly repository.UserDevice[]): Promise<void> {
    await repository.recordSeveralInstallations(transaction, devices, this.#deps.clock.now());
  }

  /** Creates the error. `Retry-After` says when a place becomes free if the user can do nothing now to free one. */
  #describeRejection(
    decision: Rejection,
    { license, request }: { readonly license: LicenseSnapshot; readonly request: DeviceRequest },
  ): ApiError {
    const nowMs = this.#deps.clock.now();
    switch (decision.reason) {
      case 'replaced_not_found':
        return new ApiError('NOT_FOUND', 'The device to replace is not active on this license.');
      case 'allowance_used':
        return limitReached(allowanceUsed(decision.allowance), decision.allowance.untilMs - nowMs);
      case 'limit_reached': {
        const { freeAtMs } = decision;
        if (freeAtMs === undefined) return new ApiError('MAX_ACTIVATIONS_REACHED');
        if (request.replaces !== undefined) return limitReached(replacedKeepsPlace(freeAtMs), freeAtMs - nowMs);
        const canRelease = license.active.some(({ leaseEndMs }) => !isKept(leaseEndMs, nowMs));
        return canRelease
          ? new ApiError('MAX_ACTIVATIONS_REACHED')
          : limitReached(noPlaceUntil(freeAtMs), freeAtMs - nowMs);
      }
    }
  }

  async #insert(transaction: Transaction, license: LicenseSnapshot, request: NewDevice): Promise<string> {
    const { clock, random } = this.#deps;
    const nowMs = clock.now();
    const id = newUuid(nowMs, random);
    // The new activation takes over the lease.
    const place = { licenseId: license.id, deviceId: request.device_id };
    if (request.ownLeaseEndMs !== null) await repository.freePlace(transaction, place);
    if (request.isKnownDevice) {
      await repository.deleteReleasedSince(transaction, { ...place, sinceMs: nowMs - reactivatedWithinMs });
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
      lease_expires_at_ms: request.ownLeaseEndMs,
      several_installations_at_ms: null,
    };
    await repository.insertActivation.run(transaction, row);
    await this.#deps.auditLog.record(transaction, {
      ...request.by,
      action: 'license.activate',
      target: licenseTarget(license),
      details: {
        device_id: row.device_id,
        device_name: row.device_name,
        // The first account to activate a license without an owner becomes its owner.
        ...(license.user_id === null && { claimed: true }),
      },
    });
    const { device_id, device_name, platform } = row;
    await this.#deps.outbox.add(transaction, {
      type: 'license.activated',
      userId: request.userId,
      data: { ...describe(license), plan: license.plan, activation_id: id, device_id, device_name, platform },
    });
    return id;
  }

  /** Updates an active device; a request without a name or platform keeps the stored one. */
  async #update(transaction: Transaction, id: string, { device_name, platform }: DeviceRequest): Promise<void> {
    await repository.changeActivation(transaction, id, {
      ...(device_name && { device_name }),
      ...(platform && { platform }),
      last_seen_at_ms: this.#deps.clock.now(),
    });
  }

  /** Releases an active device, which keeps its place until its lease ends. */
  async #release(transaction: Transaction, release: Release): Promise<void> {
    const { leaseEndMs } = release.activation;
    await this.#endActivation(transaction, release);
    const keepsPlace = isKept(leaseEndMs, this.#deps.clock.now());
    await this.#recordRelease(transaction, release, keepsPlace && { place_kept_until: toIso(Number(leaseEndMs)) });
  }

  async #recordRelease(
    transaction: Transaction,
    { activation, license, by }: Release,
    place: AuditDetails | false,
  ): Promise<void> {
    const details = { device_id: activation.deviceId, ...place };
    const target = licenseTarget(license);
    await this.#deps.auditLog.record(transaction, { ...by, action: 'license.release', target, details });
  }

  async #endActivation(transaction: Transaction, { activation, license }: Release): Promise<void> {
    const { id, deviceId: device_id } = activation;
    const { clock, outbox } = this.#deps;
    await repository.changeActivation(transaction, id, { released_at_ms: clock.now() });
    const data = { ...describe(license), activation_id: id, device_id };
    await outbox.add(transaction, { type: 'license.released', userId: license.user_id, data });
  }
}

function describe({ id, key_preview }: Pick<LicenseSnapshot, 'id' | 'key_preview'>) {
  return { license_id: id, key_preview };
}

function toResponse(
  license: LicenseSnapshot,
  id: string,
  placesInUse: number,
  message: string,
): ActivateLicenseResponse {
  const { max_activations } = license;
  return { success: true, activation_id: id, activations: placesInUse, max_activations, message };
}

function limitReached(message: string, waitMs: number): ApiError {
  return new ApiError('MAX_ACTIVATIONS_REACHED', message, Math.max(1, Math.ceil(waitMs / 1000)));
}

function toSnapshot(row: repository.ActivationRow): Release['activation'] {
  return { id: row.id, deviceId: row.device_id, leaseEndMs: row.lease_expires_at_ms };
}

function findReplaced(
  { active }: LicenseSnapshot,
  replaces: string | undefined,
): ActivationSnapshot | 'unknown' | undefined {
  return replaces === undefined ? undefined : (active.find(({ id }) => id === replaces) ?? 'unknown');
}
