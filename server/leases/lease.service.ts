/** Gives devices signed leases, with which they work offline; see `shared/lease.ts`. */
import { sign } from 'node:crypto';
import type { LeaseRequestFile, LeaseResponse } from '../../shared/api/lease.ts';
import { type LeaseClaims, type LeaseJwk, leaseAudience, leaseIssuer, leaseType } from '../../shared/lease.ts';
import type { SnapshotCache } from '../account-snapshots/snapshot-cache.ts';
import type { ActivationService } from '../activations/activation.service.ts';
import { type AuditContext, licenseTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { encodePart } from '../keys/json-web-token.ts';
import type { SigningKeyService } from '../keys/signing-key.service.ts';
import { algorithms, publicPart, type SigningKey } from '../keys/signing-key.ts';
import type { LicenseService } from '../licenses/license.service.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { newUuid } from '../random.ts';
import { describeUpdates } from './lease.rules.ts';
import { type DeviceGrant, grantsByDevice } from './lease-grant.rules.ts';

type LeaseServiceDeps = AuditedDeps & {
  readonly accountSnapshots: SnapshotCache;
  readonly leaseKeys: SigningKeyService;
  readonly licenses: LicenseService;
  readonly activations: ActivationService;
  readonly plans: PlanService;
};

type Holder = { readonly userId: string; readonly deviceId: string };

export class LeaseService {
  readonly #deps: LeaseServiceDeps;

  constructor(deps: LeaseServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Issues a lease for a device of the user, on the newest usable license that is activated there. Throws `ApiError`
   * LICENSE_INACTIVE.
   */
  issue(userId: string, deviceId: string, by: AuditContext): Promise<LeaseResponse> {
    return this.#issue({ userId, deviceId }, by);
  }

  /**
   * Issues a lease for a device that is never online, and activates it on the license named in its request. A license
   * without an owner becomes that of `userId`. Throws `ApiError` LICENSE_NOT_FOUND, LICENSE_INACTIVE,
   * MAX_ACTIVATIONS_REACHED, VALIDATION_ERROR if there is no owner, or USER_NOT_FOUND if its account was deleted in the
   * meantime.
   */
  async issueOffline(request: LeaseRequestFile, by: AuditContext, userId?: string): Promise<LeaseResponse> {
    const { licenses } = this.#deps;
    const license = await licenses.requireByKey(request.license_key);
    const owner = license.user_id ?? userId;
    if (owner === undefined) {
      throw new ApiError(
        'VALIDATION_ERROR',
        'This license has no owner yet, and a lease names its account: say whose it is.',
      );
    }
    await licenses.activate(userId ?? owner, request, by).catch(describeDeletedOwner);
    return this.#issue({ userId: owner, deviceId: request.device_id }, by, license.id);
  }

  /** Returns the public keys of all leases that may still be valid. */
  async listPublicKeys(): Promise<LeaseJwk[]> {
    const keys = await this.#deps.leaseKeys.list();
    return keys.map(({ kid, key }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: publicPart(key),
      kid,
      alg: algorithms.lease,
      use: 'sig',
    }));
  }

  /** Issues a lease on this license, by default on any of the account. */
  async #issue(holder: Holder, by: AuditContext, licenseId?: string): Promise<LeaseResponse> {
    const { database, leaseKeys, activations } = this.#deps;
    const key = await leaseKeys.current();
    return database.write(async (transaction) => {
      // Without the lock, a simultaneous release could free the place although the device gets a lease. A license that
      // the device is activated on from now on is not locked, so it does not count.
      const locked = await activations.lockLicensesOnDevice(transaction, holder);
      const licenseIds = locked.filter((id) => licenseId === undefined || id === licenseId);
      const grant = await this.#findGrant(transaction, holder, licenseIds);
      if (!grant) {
        throw new ApiError(
          'LICENSE_INACTIVE',
          'No license of this account is both active and activated on this device.',
        );
      }
      const { iat, renew_after, exp } = grant.times;
      await activations.recordLease(transaction, grant.activation.id, exp * 1000);
      await leaseKeys.cover(transaction, key, (exp - iat) * 1000);
      const lease = this.#sign(key, { ...grant, ...holder });
      await this.#record(transaction, grant, holder, by);
      return { lease, renew_after: toIso(renew_after * 1000), expires_at: toIso(exp * 1000) };
    });
  }

  async #findGrant(
    transaction: Transaction,
    { userId, deviceId }: Holder,
    licenseIds: readonly string[],
  ): Promise<DeviceGrant | undefined> {
    const { config, clock, accountSnapshots, plans } = this.#deps;
    const account = await accountSnapshots.readAccount(transaction, userId);
    if (!account) return undefined;
    const licenses = account.licenses.filter(({ id }) => licenseIds.includes(id));
    const input = { plans: await plans.readAll(transaction), nowMs: clock.now(), ttlMs: config.leaseTtlMs };
    return grantsByDevice({ ...account, licenses }, input).get(deviceId);
  }

  #sign(key: SigningKey, { license, plan, times, userId, deviceId }: DeviceGrant & Holder): string {
    const { clock, random } = this.#deps;
    const claims = {
      iss: leaseIssuer,
      aud: leaseAudience,
      sub: userId,
      jti: newUuid(clock.now(), random),
      ...times,
      device_id: deviceId,
      license: license.key_preview,
      plan: plan.name,
      features: plan.features,
      ...describeUpdates(license),
    } as const;
    return signLease(claims, key);
  }

  async #record(
    transaction: Transaction,
    { license, times }: DeviceGrant,
    { deviceId }: Holder,
    by: AuditContext,
  ): Promise<void> {
    await this.#deps.auditLog.record(transaction, {
      ...by,
      action: 'license.lease',
      target: licenseTarget(license),
      details: { device_id: deviceId, expires_at: toIso(times.exp * 1000) },
    });
  }
}

/** INVALID_TOKEN would tell staff that their own session has ended. */
function describeDeletedOwner(error: unknown): never {
  const isDeleted = error instanceof ApiError && error.code === 'INVALID_TOKEN';
  throw isDeleted ? new ApiError('USER_NOT_FOUND', 'The account has been deleted.') : error;
}

/** Signs the claims as a compact JWS (RFC 7515 §7.1) with EdDSA (RFC 8037). */
function signLease(claims: LeaseClaims, { kid, key }: SigningKey): string {
  const signed = `${encodePart({ alg: 'EdDSA', typ: leaseType, kid })}.${encodePart(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}
