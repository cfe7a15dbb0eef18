/** What staff do with licenses: issue them, look at them, change their status, take a device off them. */
import type { Activation } from '../../shared/api/license.ts';
import type { License } from '../../shared/api/subscription.ts';
import { previewLicenseKey } from '../../shared/formats/license-key.ts';
import { toIso, validateDate } from '../clock.ts';
import type { Executor, Transaction } from '../database/database.ts';
import type { LicenseStatus } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import { newUuid, type Random } from '../random.ts';
import { changeActivation, findHeldActivation, listHeldActivations } from './activation.repository.ts';
import { toActivation } from './activation.service.ts';
import {
  changeLicense,
  insertLicense,
  type LicenseRow,
  listOwnedLicenses,
  type OwnedLicenseRow,
} from './license.repository.ts';
import { readLicenseStatus } from './license.rules.ts';
import { type LicenseParts, toLicense } from './license.service.ts';
import { hashLicenseKey, newLicenseKey } from './license-key-hash.ts';

/** A license as an admin sees it. */
export type LicenseRecord = License & {
  readonly id: string;
  readonly user_id: string | null;
  /** Of its owner; null until an account claims it. */
  readonly email: string | null;
  readonly expires_at: string | null;
  readonly with_subscription: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  /** Which hold a slot, least recently seen first. */
  readonly devices: readonly Activation[];
};

export type LicenseIssue = {
  /** Left out: unassigned, for the first account that activates it. */
  readonly userId?: string;
  /** Default: the plan of the owner's subscription, else `standard`. */
  readonly plan?: string;
  /** Default: the plan's max_devices. */
  readonly maxActivations?: number;
  /** Milliseconds since 1970, may be past; left out: perpetual. */
  readonly expiresAtMs?: number;
  /** Whether it is good only while its owner's subscription gives access; wants a `userId`. */
  readonly withSubscription?: boolean;
};

/** `license_key` is shown this once: it is not kept. */
export type IssuedLicense = { readonly license_key: string; readonly license: LicenseRecord };

export type LicenseAdminService = {
  /** Throws `ApiError` VALIDATION_ERROR, or NOT_FOUND for an unknown plan. */
  issue(issue: LicenseIssue): Promise<IssuedLicense>;
  /** All, or those of an account; oldest first. */
  list(userId?: string): Promise<LicenseRecord[]>;
  /** The status as set: one whose own date has passed reads `expired` whatever is set. Throws `ApiError` NOT_FOUND. */
  setStatus(licenseId: string, status: LicenseStatus): Promise<LicenseRecord>;
  /** Frees the slot that the device holds. Throws `ApiError` NOT_FOUND. */
  release(licenseId: string, deviceId: string): Promise<LicenseRecord>;
};

const defaultPlan = 'standard';
const mostActivations = 1_000_000;

export function createLicenseAdminService(parts: LicenseParts & { random: Random }): LicenseAdminService {
  const { database, clock, secrets, random } = parts;
  const list = (only: { userId?: string; id?: string }) => readRecords(database.read, only, clock.now());
  const find = async (id: string) => {
    const [license] = await list({ id });
    if (!license) throw new ApiError('NOT_FOUND', 'There is no license with this id.');
    return license;
  };
  return {
    list: (userId) => list({ userId }),
    async issue(issue) {
      refuseInvalid(issue);
      const licenseKey = newLicenseKey(random);
      const id = await database.write(async (transaction) => {
        const row = await newRow(parts, transaction, issue);
        await insertLicense(transaction, { ...row, ...keptKey(secrets.pepper, licenseKey) });
        return row.id;
      });
      return { license_key: licenseKey, license: await find(id) };
    },
    async setStatus(licenseId, status) {
      await find(licenseId);
      await database.write((transaction) =>
        changeLicense(transaction, licenseId, { status, updated_at_ms: clock.now() }),
      );
      return find(licenseId);
    },
    async release(licenseId, deviceId) {
      await find(licenseId);
      await database.write(async (transaction) => {
        const held = await findHeldActivation(transaction, licenseId, deviceId);
        if (!held) throw new ApiError('NOT_FOUND', 'This device is not active on this license.');
        await changeActivation(transaction, held.id, { released_at_ms: clock.now() });
      });
      return find(licenseId);
    },
  };
}

function refuseInvalid({ userId, maxActivations, withSubscription }: LicenseIssue): void {
  if (withSubscription && userId === undefined) {
    throw new ApiError('VALIDATION_ERROR', 'A license that follows a subscription needs an owner.');
  }
  if (maxActivations === undefined) return;
  if (!Number.isInteger(maxActivations) || maxActivations < 0 || maxActivations > mostActivations) {
    throw new ApiError('VALIDATION_ERROR', `max_activations is a whole number from 0 to ${mostActivations}.`);
  }
}

type KeptKey = Pick<LicenseRow, 'key_hash' | 'key_preview'>;

function keptKey(pepper: Uint8Array, licenseKey: string): KeptKey {
  return { key_hash: hashLicenseKey(pepper, licenseKey), key_preview: previewLicenseKey(licenseKey) };
}

async function newRow(
  { clock, random, plans, subscriptions }: LicenseParts & { random: Random },
  transaction: Transaction,
  issue: LicenseIssue,
): Promise<Omit<LicenseRow, keyof KeptKey>> {
  const nowMs = clock.now();
  const ownerStanding =
    issue.userId === undefined ? undefined : await subscriptions.standing(issue.userId, transaction);
  const plan = await plans.require(issue.plan ?? ownerStanding?.subscription.plan ?? defaultPlan, transaction);
  return {
    id: newUuid(nowMs, random),
    user_id: issue.userId ?? null,
    plan: plan.name,
    status: 'active',
    max_activations: issue.maxActivations ?? plan.max_devices,
    expires_at_ms: issue.expiresAtMs === undefined ? null : validateDate(issue.expiresAtMs),
    with_subscription: issue.withSubscription ? 1 : 0,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
}

async function readRecords(
  executor: Executor,
  only: { userId?: string; id?: string },
  nowMs: number,
): Promise<LicenseRecord[]> {
  const rows = await listOwnedLicenses(executor, only);
  const held = await listHeldActivations(executor, { userId: only.userId, licenseId: only.id });
  const byLicense = Map.groupBy(held, (device) => device.license_id);
  return rows.map((row) => {
    const devices = (byLicense.get(row.id) ?? []).map((device) => toActivation(device, row.key_preview, nowMs));
    return toRecord(row, devices, nowMs);
  });
}

function toRecord(row: OwnedLicenseRow, devices: readonly Activation[], nowMs: number): LicenseRecord {
  return {
    id: row.id,
    ...toLicense(row, readLicenseStatus(row, nowMs), devices.length),
    user_id: row.user_id,
    email: row.email,
    expires_at: row.expires_at_ms === null ? null : toIso(row.expires_at_ms),
    with_subscription: row.with_subscription === 1,
    created_at: toIso(row.created_at_ms),
    updated_at: toIso(row.updated_at_ms),
    devices,
  };
}
