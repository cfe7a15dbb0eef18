/** Devices on licenses: taking a slot, swapping it, giving it back, and which devices there are. */
import type { z } from 'zod';
import type {
  ActivateLicenseResponse,
  Activation,
  activateLicenseRequest,
  ReleaseResponse,
} from '../../shared/api/license.ts';
import { rejectDeletedAccount } from '../accounts/account.service.ts';
import { toIso } from '../clock.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { newUuid, type Random } from '../random.ts';
import {
  type ActivationRow,
  changeActivation,
  countHeldActivations,
  findHeldActivation,
  insertActivation,
  listHeldActivations,
  listLicensesWithDevice,
  touchActivations,
} from './activation.repository.ts';
import { judgeActivation } from './activation-verdict.ts';
import { readDeviceActivity } from './device-activity.ts';
import { changeLicense, findLicenseByHash, type LicenseRow, listLicensesOf } from './license.repository.ts';
import type { LicenseProblem } from './license.rules.ts';
import { belongsToOtherUser, type LicenseParts } from './license.service.ts';
import { hashTypedLicenseKey } from './license-key-hash.ts';
import { readLicenseStanding } from './license-standing.ts';

export type ActivationCall = z.output<typeof activateLicenseRequest>;

export type ActivationService = {
  /**
   * Gives the device a slot of the license, and an unassigned license its owner; on a device that has one already
   * it only updates name and platform. `replaces` gives up another device's slot in the same transaction.
   * Throws `ApiError` LICENSE_NOT_FOUND, LICENSE_INACTIVE, MAX_ACTIVATIONS_REACHED, or NOT_FOUND for `replaces`.
   */
  activate(userId: string, call: ActivationCall): Promise<ActivateLicenseResponse>;
  /** The devices on all licenses of the account, least recently seen first. */
  list(userId: string): Promise<Activation[]>;
  /** Frees the slot of an activation of the account's own. Throws `ApiError` NOT_FOUND. */
  release(userId: string, activationId: string): Promise<ReleaseResponse>;
  /** Whether the account has a license, and whether the device holds a slot of one. */
  deviceStanding(userId: string, deviceId: string): Promise<{ hasLicense: boolean; isActivated: boolean }>;
  /** Within another feature's transaction: the device showed itself. */
  markSeen(transaction: Transaction, userId: string, deviceId: string): Promise<void>;
};

type Parts = LicenseParts & { random: Random };

export function createActivationService(parts: Parts): ActivationService {
  const { database, clock, secrets } = parts;
  return {
    async activate(userId, call) {
      const keyHash = hashTypedLicenseKey(secrets.pepper, call.license_key);
      if (keyHash === undefined) throw new ApiError('LICENSE_NOT_FOUND');
      const written = database.write(async (transaction) => {
        const license = await findLicenseByHash(transaction, keyHash);
        if (!license || belongsToOtherUser(license, userId)) throw new ApiError('LICENSE_NOT_FOUND');
        return takeSlot(parts, transaction, { license, userId, call });
      });
      return written.catch(rejectDeletedAccount);
    },
    async list(userId) {
      const { licenses, held } = await readDevices(database.read, userId);
      const previews = new Map(licenses.map(({ id, key_preview }) => [id, key_preview]));
      return held.map((row) => toActivation(row, previews.get(row.license_id) ?? '', clock.now()));
    },
    release: (userId, activationId) =>
      database.write(async (transaction) => {
        const { licenses, held } = await readDevices(transaction, userId);
        const activation = held.find(({ id }) => id === activationId);
        const license = licenses.find(({ id }) => id === activation?.license_id);
        if (!activation || !license) throw new ApiError('NOT_FOUND', 'There is no such device on a license of yours.');
        await changeActivation(transaction, activation.id, { released_at_ms: clock.now() });
        return {
          success: true,
          activations: await countHeldActivations(transaction, license.id),
          max_activations: license.max_activations,
        };
      }),
    async deviceStanding(userId, deviceId) {
      const rows = await listLicensesWithDevice(database.read, userId, deviceId);
      return { hasLicense: rows.length > 0, isActivated: rows.some(({ activation_id }) => activation_id !== null) };
    },
    markSeen: (transaction, userId, deviceId) =>
      touchActivations(transaction, { userId, deviceId, nowMs: clock.now() }),
  };
}

type Slot = { license: LicenseRow; userId: string; call: ActivationCall };

async function takeSlot(parts: Parts, transaction: Transaction, slot: Slot): Promise<ActivateLicenseResponse> {
  const { clock, subscriptions } = parts;
  const { license, userId, call } = slot;
  const nowMs = clock.now();
  const { refusal } = await readLicenseStanding(license, { userId, nowMs, subscriptions, executor: transaction });
  if (refusal) throw new ApiError('LICENSE_INACTIVE', inactiveBecause[refusal]);
  const existing = await findHeldActivation(transaction, license.id, call.device_id);
  const replaced = !existing && (await giveUpReplaced(transaction, license, call.replaces, nowMs));
  const heldSlots = await countHeldActivations(transaction, license.id);
  const verdict = judgeActivation({
    refusal,
    isActiveOnDevice: existing !== undefined,
    heldSlots,
    maxActivations: license.max_activations,
  });
  if (verdict === 'MAX_ACTIVATIONS_REACHED' || verdict === 'LICENSE_INACTIVE') throw new ApiError(verdict);
  if (existing) {
    await changeActivation(transaction, existing.id, { ...namesOf(call, existing), last_seen_at_ms: nowMs });
    return answer(existing.id, heldSlots, license, 'This device was activated already.');
  }
  const id = await insertDevice(parts, transaction, slot);
  if (license.user_id === null) await changeLicense(transaction, license.id, { user_id: userId, updated_at_ms: nowMs });
  const message = replaced ? 'This device is activated in place of the other one.' : 'This device is activated.';
  return answer(id, heldSlots + 1, license, message);
}

const inactiveBecause: Record<LicenseProblem, string> = {
  LICENSE_REVOKED: 'This license has been revoked.',
  LICENSE_EXPIRED: 'This license has expired.',
  LICENSE_INACTIVE: 'This license is suspended.',
  SUBSCRIPTION_INACTIVE: 'The subscription that this license belongs to is not active.',
};

/** Whether a slot was given up. Throws `ApiError` NOT_FOUND when it is none of this license. */
async function giveUpReplaced(
  transaction: Transaction,
  license: LicenseRow,
  replaces: string | undefined,
  nowMs: number,
): Promise<boolean> {
  if (replaces === undefined) return false;
  const held = await listHeldActivations(transaction, { licenseId: license.id });
  if (!held.some(({ id }) => id === replaces)) {
    throw new ApiError('NOT_FOUND', 'The device to replace is not active on this license.');
  }
  await changeActivation(transaction, replaces, { released_at_ms: nowMs });
  return true;
}

async function insertDevice({ clock, random }: Parts, transaction: Transaction, slot: Slot): Promise<string> {
  const nowMs = clock.now();
  const id = newUuid(nowMs, random);
  await insertActivation(transaction, {
    id,
    license_id: slot.license.id,
    device_id: slot.call.device_id,
    device_name: slot.call.device_name,
    platform: slot.call.platform,
    activated_at_ms: nowMs,
    last_seen_at_ms: nowMs,
    released_at_ms: null,
  });
  return id;
}

/** A call that names neither leaves the names as they were. */
function namesOf(call: ActivationCall, existing: ActivationRow): Pick<ActivationRow, 'device_name' | 'platform'> {
  return { device_name: call.device_name || existing.device_name, platform: call.platform || existing.platform };
}

function answer(id: string, activations: number, license: LicenseRow, message: string): ActivateLicenseResponse {
  return { success: true, activation_id: id, activations, max_activations: license.max_activations, message };
}

async function readDevices(
  executor: Executor,
  userId: string,
): Promise<{ licenses: LicenseRow[]; held: ActivationRow[] }> {
  const licenses = await listLicensesOf(executor, userId);
  return { licenses, held: await listHeldActivations(executor, { userId }) };
}

export function toActivation(row: ActivationRow, keyPreview: string, nowMs: number): Activation {
  return {
    activation_id: row.id,
    key_preview: keyPreview,
    device_id: row.device_id,
    device_name: row.device_name,
    platform: row.platform,
    activated_at: toIso(row.activated_at_ms),
    last_seen_at: toIso(row.last_seen_at_ms),
    activity: readDeviceActivity(row.last_seen_at_ms, nowMs),
  };
}
