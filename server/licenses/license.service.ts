/** Validates license keys and activates them on devices, for users. */
import type { z } from 'zod';
import { errorTable } from '../../shared/api/errors.ts';
import { type Features, type LicenseFeatures, statusOnlyFeatures } from '../../shared/api/features.ts';
import type {
  ActivateLicenseResponse,
  activateLicenseRequest,
  NewDevices,
  ValidateLicenseRequest,
  ValidateLicenseResponse,
} from '../../shared/api/license.ts';
import type { AccountSnapshot, LicenseSnapshot } from '../account-snapshots/account-snapshot.ts';
import type { SnapshotCache } from '../account-snapshots/snapshot-cache.ts';
import {
  countPlacesInUse,
  decideActivation,
  isRecordDue,
  readActivationInput,
  readLastNewDevices,
} from '../activations/activation.rules.ts';
import type { ActivationService } from '../activations/activation.service.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import { toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Executor } from '../database/database.ts';
import { rejectDeletedAccount, unlessUnavailable } from '../database/database-errors.ts';
import { ApiError } from '../errors.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { changeLicense, findLicenseByHash, type LicenseRow, lockLicenseByHash } from './license.repository.ts';
import { belongsToOtherUser, evaluateLicenseOf, type LicenseProblem } from './license.rules.ts';
import type { LicenseKeyHasher } from './license-key-hash.ts';

type LicenseServiceDeps = CommonDeps & {
  readonly licenseKeyHasher: LicenseKeyHasher;
  readonly accountSnapshots: SnapshotCache;
  readonly plans: PlanService;
  readonly activations: ActivationService;
};

export class LicenseService {
  readonly #deps: LicenseServiceDeps;

  constructor(deps: LicenseServiceDeps) {
    this.#deps = deps;
  }

  /** Handles `/license/validate`. A license without an owner stays without one. */
  async validate(userId: string, request: ValidateLicenseRequest): Promise<ValidateLicenseResponse> {
    const { database, clock, licenseKeyHasher, accountSnapshots, plans } = this.#deps;
    const { license_key: licenseKey, device_id: deviceId } = request;
    const account = await accountSnapshots.requireAccount(userId);
    const keyHash = licenseKeyHasher.hashEntered(licenseKey);
    const license = keyHash === undefined ? undefined : await this.#find(database.read, account, keyHash);
    if (!license) return invalid('LICENSE_NOT_FOUND');
    const nowMs = clock.now();
    const { status, problem } = evaluateLicenseOf(account, license, nowMs);
    if (problem) return invalid(problem);
    const plan = await plans.require(license.plan);
    const input = readActivationInput(license, plan, { deviceId, nowMs });
    if (input.existing && isRecordDue(input.existing.lastSeenAtMs, nowMs)) {
      await this.#recordUse(userId, deviceId);
      input.existing.lastSeenAtMs = nowMs;
    }
    return {
      valid: true,
      plan: license.plan,
      status,
      activations: countPlacesInUse(license, nowMs),
      max_activations: license.max_activations,
      can_activate: decideActivation(input).action !== 'reject',
      already_activated_on_device: input.existing !== undefined,
      features: pickLicenseFeatures(plan.features),
    };
  }

  /**
   * Handles `/license/activate`, see `decideActivation`. A license without an owner becomes the user's. Throws
   * `ApiError` LICENSE_NOT_FOUND, LICENSE_INACTIVE, MAX_ACTIVATIONS_REACHED, or NOT_FOUND for `replaces`.
   */
  async activate(
    userId: string,
    request: z.output<typeof activateLicenseRequest>,
    by: AuditContext,
  ): Promise<ActivateLicenseResponse> {
    const { database, clock, licenseKeyHasher, accountSnapshots, plans, activations } = this.#deps;
    const activating = database.write(async (transaction) => {
      const nowMs = clock.now();
      const keyHash = licenseKeyHasher.hashEntered(request.license_key);
      if (keyHash === undefined) throw new ApiError('LICENSE_NOT_FOUND');
      await lockLicenseByHash(transaction, keyHash);
      const account = await accountSnapshots.readAccount(transaction, userId);
      if (!account) throw new ApiError('INVALID_TOKEN');
      const license = await this.#find(transaction, account, keyHash);
      if (!license) throw new ApiError('LICENSE_NOT_FOUND');
      const { problem } = evaluateLicenseOf(account, license, nowMs);
      if (problem) throw new ApiError('LICENSE_INACTIVE', inactiveMessages[problem]);
      const plan = await plans.require(license.plan, transaction);
      const response = await activations.activate(transaction, { license, plan }, { ...request, userId, by });
      if (license.user_id === null) {
        await changeLicense(transaction, license.id, { user_id: userId, updated_at_ms: nowMs });
      }
      return response;
    });
    return activating.catch(rejectDeletedAccount);
  }

  /** Returns the user's licenses that allow only one more new device, or none. */
  async listLastNewDevices(userId: string): Promise<NewDevices[]> {
    const { clock, accountSnapshots, plans } = this.#deps;
    const { licenses } = await accountSnapshots.requireAccount(userId);
    const allPlans = await plans.loadAll();
    const nowMs = clock.now();
    return licenses.flatMap((license) => {
      const plan = allPlans.get(license.plan);
      // The empty id is that of a device that the license was not used on.
      const allowance = plan && readLastNewDevices(readActivationInput(license, plan, { deviceId: '', nowMs }));
      if (!allowance) return [];
      return [{ key_preview: license.key_preview, remaining: allowance.remaining, until: toIso(allowance.untilMs) }];
    });
  }

  /** Returns the license with this key, regardless of its owner. Throws `ApiError` LICENSE_NOT_FOUND. */
  async requireByKey(licenseKey: string): Promise<Pick<LicenseRow, 'id' | 'user_id'>> {
    const { read } = this.#deps.database;
    const keyHash = this.#deps.licenseKeyHasher.hashEntered(licenseKey);
    const license = keyHash === undefined ? undefined : await findLicenseByHash(read, keyHash);
    if (!license) throw new ApiError('LICENSE_NOT_FOUND');
    return license;
  }

  /**
   * Returns the license with this hash if it belongs to the account, or has no owner and so could be activated by it.
   */
  async #find(
    executor: Executor,
    { userId, licenses }: AccountSnapshot,
    keyHash: string,
  ): Promise<LicenseSnapshot | undefined> {
    const own = licenses.find(({ key_hash }) => key_hash === keyHash);
    const license = own ?? (await this.#deps.accountSnapshots.readLicense(executor, keyHash));
    return license && !belongsToOtherUser(license, userId) ? license : undefined;
  }

  async #recordUse(userId: string, deviceId: string): Promise<void> {
    const { database, activations } = this.#deps;
    const used = [{ user_id: userId, device_id: deviceId }];
    await unlessUnavailable(database.write((transaction) => activations.markSeen(transaction, used)));
  }
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
  const included = Object.entries(features).filter(([name]) => !statusOnlyFeatures.has(name));
  return Object.fromEntries(included) as LicenseFeatures;
}
