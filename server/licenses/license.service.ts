/** The licenses of accounts: what a key is worth on a device, and what an account has. */

import { errorTable } from '../../shared/api/errors.ts';
import type { Features } from '../../shared/api/features.ts';
import type { LicenseFeatures, ValidateLicenseRequest, ValidateLicenseResponse } from '../../shared/api/license.ts';
import type { License } from '../../shared/api/subscription.ts';
import type { Clock } from '../clock.ts';
import type { Database, Executor } from '../database/database.ts';
import type { PlanService } from '../plans/plan.service.ts';
import type { Secrets } from '../secrets.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import { countHeldActivations, findHeldActivation, touchActivations } from './activation.repository.ts';
import { type ActivationFacts, canActivate } from './activation-verdict.ts';
import { findLicenseByHash, type LicenseRow, listLicensesOf } from './license.repository.ts';
import { type LicenseProblem, readLicenseStatus } from './license.rules.ts';
import { hashTypedLicenseKey } from './license-key-hash.ts';
import { type LicenseStanding, readLicenseStanding } from './license-standing.ts';

/** The license that stands for an account, and whether it is good now. */
export type ShownLicense = { readonly license: License; readonly isGood: boolean };

export type LicenseService = {
  /** What a key is worth on a device, for the signed-in account (interface §4 `/license/validate`). Claims nothing. */
  validate(userId: string, request: ValidateLicenseRequest): Promise<ValidateLicenseResponse>;
  /** The active license of the account, else its newest; `undefined` where it has none. */
  shownLicense(userId: string, executor?: Executor): Promise<ShownLicense | undefined>;
};

export type LicenseParts = {
  database: Database;
  clock: Clock;
  secrets: Pick<Secrets, 'pepper'>;
  plans: PlanService;
  subscriptions: SubscriptionService;
};

export function createLicenseService({ database, clock, secrets, plans, subscriptions }: LicenseParts): LicenseService {
  const standingOf = (license: LicenseRow, userId: string, executor: Executor) =>
    readLicenseStanding(license, { userId, nowMs: clock.now(), subscriptions, executor });
  return {
    async validate(userId, { license_key, device_id }) {
      const keyHash = hashTypedLicenseKey(secrets.pepper, license_key);
      const license = keyHash === undefined ? undefined : await findLicenseByHash(database.read, keyHash);
      if (!license || belongsToOtherUser(license, userId)) return refuse('LICENSE_NOT_FOUND');
      const standing = await standingOf(license, userId, database.read);
      if (standing.refusal) return refuse(standing.refusal);
      const device = await findHeldActivation(database.read, license.id, device_id);
      const heldSlots = await countHeldActivations(database.read, license.id);
      if (device) {
        await database.write((transaction) =>
          touchActivations(transaction, { userId, deviceId: device_id, nowMs: clock.now() }),
        );
      }
      const features = await plans.featuresOf(license.plan);
      return accept(license, standing, { isActiveOnDevice: device !== undefined, heldSlots }, features);
    },
    async shownLicense(userId, executor = database.read) {
      const row = chooseShown(await listLicensesOf(executor, userId), clock.now());
      if (!row) return undefined;
      const { status, refusal } = await standingOf(row, userId, executor);
      const activations = await countHeldActivations(executor, row.id);
      return { license: toLicense(row, status, activations), isGood: refusal === undefined };
    },
  };
}

/** A key of another account is as good as none (decisions "Plans, subscriptions, licenses"). */
export function belongsToOtherUser(license: LicenseRow, userId: string): boolean {
  return license.user_id !== null && license.user_id !== userId;
}

export function toLicense(row: LicenseRow, status: License['status'], activations: number): License {
  return {
    key_preview: row.key_preview,
    plan: row.plan,
    status,
    activations,
    max_activations: row.max_activations,
  };
}

/** `rows` come newest first. */
function chooseShown(rows: readonly LicenseRow[], nowMs: number): LicenseRow | undefined {
  return rows.find((row) => readLicenseStatus(row, nowMs) === 'active') ?? rows[0];
}

function refuse(code: LicenseProblem | 'LICENSE_NOT_FOUND'): ValidateLicenseResponse {
  return { valid: false, error: errorTable[code].message, code };
}

function accept(
  license: LicenseRow,
  { status, refusal }: LicenseStanding,
  slots: Pick<ActivationFacts, 'isActiveOnDevice' | 'heldSlots'>,
  features: Features,
): ValidateLicenseResponse {
  return {
    valid: true,
    plan: license.plan,
    status,
    activations: slots.heldSlots,
    max_activations: license.max_activations,
    can_activate: canActivate({ refusal, ...slots, maxActivations: license.max_activations }),
    already_activated_on_device: slots.isActiveOnDevice,
    features: pickLicenseFeatures(features),
  };
}

function pickLicenseFeatures(features: Features): LicenseFeatures {
  const { real_time_visualization, osc_lsl_streaming, csv_export, api_access, max_devices } = features;
  return { real_time_visualization, osc_lsl_streaming, csv_export, api_access, max_devices };
}
