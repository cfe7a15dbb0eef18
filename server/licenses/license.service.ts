/** The licenses of users: validating a key, activating it on a device, and the license that a user has. */
import type { z } from 'zod';
import { errorTable } from '../../shared/api/errors.ts';
import type { Features } from '../../shared/api/features.ts';
import type {
  ActivateLicenseResponse,
  activateLicenseRequest,
  LicenseFeatures,
  NewDevices,
  ValidateLicenseRequest,
  ValidateLicenseResponse,
} from '../../shared/api/license.ts';
import type { License } from '../../shared/api/subscription.ts';
import {
  type ActivationUsage,
  describeUsage,
  isRecordDue,
  readLastNewDevices,
} from '../activations/activation.rules.ts';
import type { ActivationService } from '../activations/activation.service.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database, Executor } from '../database/database.ts';
import type { LicenseStatus } from '../database/tables.ts';
import { evaluateCachedLicense, readCachedInput } from '../entitlements/account-record.rules.ts';
import type { AccountRecord } from '../entitlements/account-record.ts';
import type { AccountRecords } from '../entitlements/account-records.ts';
import { ApiError } from '../errors.ts';
import { rejectDeletedAccount } from '../missing-account.ts';
import type { Plan, PlanService } from '../plans/plan.service.ts';
import type { Secrets } from '../secrets.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import {
  claimLicense,
  findLicenseByHash,
  type LicenseRow,
  listLicensesOf,
  lockLicenseByHash,
} from './license.repository.ts';
import {
  belongsToOtherUser,
  chooseMainLicense,
  evaluateLicense,
  type LicenseProblem,
  readLicenseStatus,
  toLicense,
} from './license.rules.ts';
import { LicenseKeyHasher } from './license-key-hash.ts';

/** The license shown for a user, and whether it is usable now. */
export type MainLicense = { readonly license: License; readonly isUsable: boolean };

export type LicenseServiceDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accountRecords: AccountRecords;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
  readonly activations: ActivationService;
};

/** A key that a user entered, on a device. */
type PresentedKey = {
  readonly userId: string;
  readonly licenseKey: string;
  readonly keyHash: string;
  readonly deviceId: string;
};

type Evaluation = { readonly status: LicenseStatus; readonly problem: LicenseProblem | undefined };

export class LicenseService {
  readonly #deps: LicenseServiceDeps;
  readonly #hasher: LicenseKeyHasher;

  constructor(deps: LicenseServiceDeps) {
    this.#deps = deps;
    this.#hasher = new LicenseKeyHasher(deps.secrets);
  }

  /**
   * The response of `/license/validate`; without a promise if the account is cached. A license without an owner stays
   * without.
   */
  validate(
    userId: string,
    request: ValidateLicenseRequest,
  ): ValidateLicenseResponse | Promise<ValidateLicenseResponse> {
    const { accountRecords, plans } = this.#deps;
    const { license_key: licenseKey, device_id: deviceId } = request;
    const keyHash = this.#hasher.hashEntered(licenseKey);
    if (keyHash === undefined) return invalid('LICENSE_NOT_FOUND');
    const presented = { userId, licenseKey, keyHash, deviceId };
    const [account, cachedPlans] = [accountRecords.findAccount(userId), plans.cached];
    const response = account && cachedPlans && this.#validateCached(account, cachedPlans, presented);
    return response ?? this.#loadAndValidate(presented);
  }

  /**
   * The response of `/license/activate`, see `decideActivation`. A license without an owner becomes the user's.
   * Throws `ApiError` LICENSE_NOT_FOUND, LICENSE_INACTIVE, MAX_ACTIVATIONS_REACHED, or NOT_FOUND for `replaces`.
   */
  async activate(
    userId: string,
    request: z.output<typeof activateLicenseRequest>,
    by: AuditContext,
  ): Promise<ActivateLicenseResponse> {
    const { database, clock, activations } = this.#deps;
    const activating = database.write(async (transaction) => {
      const license = await this.#hasher.find(request.license_key, async (keyHash) => {
        await lockLicenseByHash(transaction, keyHash);
        return findLicenseByHash(transaction, keyHash);
      });
      if (!license || belongsToOtherUser(license, userId)) throw new ApiError('LICENSE_NOT_FOUND');
      const { problem } = await this.#evaluate(license, userId, transaction);
      if (problem) throw new ApiError('LICENSE_INACTIVE', inactiveMessages[problem]);
      const response = await activations.activate(transaction, license, { ...request, userId, by });
      if (license.user_id === null) {
        await claimLicense(transaction, license.id, { userId, nowMs: clock.now() });
      }
      return response;
    });
    return activating.catch(rejectDeletedAccount);
  }

  /** The licenses of the user that may be used on one more new device, or on none; empty for an account with too many to cache. */
  async listLastNewDevices(userId: string): Promise<NewDevices[]> {
    const { clock, accountRecords, plans } = this.#deps;
    const account = await accountRecords.requireAccount(userId);
    const allPlans = await plans.loadAll();
    const nowMs = clock.now();
    return (account.licenses ?? []).flatMap((license) => {
      const plan = allPlans.get(license.plan);
      // As another device than any of those that the license was used on.
      const allowance = plan && readLastNewDevices(readCachedInput(license, plan, { deviceId: '', nowMs }));
      if (!allowance) return [];
      return [{ key_preview: license.key_preview, remaining: allowance.remaining, until: toIso(allowance.untilMs) }];
    });
  }

  /** The license with this key, of any owner. Throws `ApiError` LICENSE_NOT_FOUND. */
  async requireByKey(licenseKey: string): Promise<Pick<LicenseRow, 'id' | 'user_id'>> {
    const { read } = this.#deps.database;
    const license = await this.#hasher.find(licenseKey, (keyHash) => findLicenseByHash(read, keyHash));
    if (!license) throw new ApiError('LICENSE_NOT_FOUND');
    return license;
  }

  /** The license shown for the user, see `chooseMainLicense`; `undefined` if the user has none. */
  async findMain(userId: string): Promise<MainLicense | undefined> {
    const { database, clock, activations } = this.#deps;
    const row = chooseMainLicense(await listLicensesOf(database.read, userId), clock.now());
    if (!row) return undefined;
    const { status, problem } = await this.#evaluate(row, userId, database.read);
    return { license: toLicense(row, status, await activations.countPlaces(row.id)), isUsable: problem === undefined };
  }

  /** `undefined` if the license is not among the cached ones of the account. */
  #validateCached(
    account: AccountRecord,
    plans: ReadonlyMap<string, Plan>,
    { keyHash, deviceId }: PresentedKey,
  ): ValidateLicenseResponse | Promise<ValidateLicenseResponse> | undefined {
    const nowMs = this.#deps.clock.now();
    const license = account.licenses?.find(({ key_hash }) => key_hash === keyHash);
    const plan = license && plans.get(license.plan);
    if (!plan) return undefined;
    const { status, problem } = evaluateCachedLicense(account, license, nowMs);
    if (problem) return invalid(problem);
    const input = readCachedInput(license, plan, { deviceId, nowMs });
    const response = describeValid({ license, status, usage: describeUsage(input), features: plan.features });
    const { existing } = input;
    if (!existing || !isRecordDue(existing.lastSeenAtMs, nowMs)) return response;
    return this.#recordUse(account.userId, deviceId).then(() => {
      existing.lastSeenAtMs = nowMs;
      return response;
    });
  }

  async #loadAndValidate(presented: PresentedKey): Promise<ValidateLicenseResponse> {
    const { accountRecords, plans } = this.#deps;
    const account = await accountRecords.requireAccount(presented.userId);
    const response = this.#validateCached(account, await plans.loadAll(), presented);
    return response ?? this.#validateStored(presented);
  }

  /** For a license without an owner, or of an account with too many licenses or devices to cache. */
  async #validateStored({ userId, licenseKey, deviceId }: PresentedKey): Promise<ValidateLicenseResponse> {
    const { database, plans, activations } = this.#deps;
    const license = await this.#hasher.find(licenseKey, (keyHash) => findLicenseByHash(database.read, keyHash));
    if (!license || belongsToOtherUser(license, userId)) return invalid('LICENSE_NOT_FOUND');
    const { status, problem } = await this.#evaluate(license, userId, database.read);
    if (problem) return invalid(problem);
    const usage = await activations.readUsage(license, deviceId);
    if (usage.isRecordDue) await this.#recordUse(userId, deviceId);
    return describeValid({ license, status, usage, features: await plans.featuresOf(license.plan) });
  }

  async #recordUse(userId: string, deviceId: string): Promise<void> {
    const { database, activations } = this.#deps;
    await database.write((transaction) =>
      activations.markSeen(transaction, [{ user_id: userId, device_id: deviceId }]),
    );
  }

  /** A license without an owner is evaluated as if it belonged to the user. */
  async #evaluate(license: LicenseRow, userId: string, executor: Executor): Promise<Evaluation> {
    const { clock, subscriptions } = this.#deps;
    const status = readLicenseStatus(license, clock.now());
    if (license.with_subscription === 0) return { status, problem: evaluateLicense(status, true) };
    const access = await subscriptions.findAccess(userId, executor);
    return { status, problem: evaluateLicense(status, access?.givesAccess ?? false) };
  }
}

type Valid = {
  readonly license: Pick<LicenseRow, 'plan' | 'max_activations'>;
  readonly status: LicenseStatus;
  readonly usage: ActivationUsage;
  readonly features: Features;
};

function describeValid({ license, status, usage, features }: Valid): ValidateLicenseResponse {
  return {
    valid: true,
    plan: license.plan,
    status,
    activations: usage.placesInUse,
    max_activations: license.max_activations,
    can_activate: usage.canActivate,
    already_activated_on_device: usage.isActiveOnDevice,
    features: pickLicenseFeatures(features),
  };
}

const inactiveMessages: Record<LicenseProblem, string> = {
  LICENSE_REVOKED: errorTable.LICENSE_REVOKED.message,
  LICENSE_EXPIRED: errorTable.LICENSE_EXPIRED.message,
  LICENSE_INACTIVE: 'This license is suspended.',
  SUBSCRIPTION_INACTIVE: 'The subscription of this license is not active.',
};

function invalid(code: LicenseProblem | 'LICENSE_NOT_FOUND'): ValidateLicenseResponse {
  return { valid: false, error: errorTable[code].message, code };
}

function pickLicenseFeatures(features: Features): LicenseFeatures {
  const { real_time_visualization, osc_lsl_streaming, csv_export, api_access, max_devices } = features;
  return { real_time_visualization, osc_lsl_streaming, csv_export, api_access, max_devices };
}
