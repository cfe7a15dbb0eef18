/**
 * Changes an issued license: suspends, revokes or reinstates it, and sets its expiry, device limit and plan. The only
 * implementation of this, for the admin commands, the admin page and everything else that changes licenses.
 */

import type { LicenseRecord } from '../../shared/api/admin/licenses.ts';
import type { StaffRole } from '../../shared/api/staff-role.ts';
import { type AuditAction, type AuditContext, type AuditDetails, licenseTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIsoOrNull, validateDate } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import type { LicenseStatus } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import type { Plan, Plans } from '../plans/plan.service.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import * as repository from './license.repository.ts';
import { readAnnouncedStatus, readLicenseStatus } from './license.rules.ts';
import { type LicenseAdminService, unknownLicense } from './license-admin.service.ts';
import { licenseBecame } from './license-events.ts';

type LicenseChangeServiceDeps = AuditedDeps & {
  readonly outbox: EventOutbox;
  readonly licenseAdmin: LicenseAdminService;
};

/** A change to a license, and how it is recorded in the audit log. */
type Change = {
  readonly set: Partial<
    Pick<repository.LicenseRow, 'status' | 'expires_at_ms' | 'max_activations' | 'plan' | 'updates_until_ms'>
  >;
  readonly action: AuditAction;
  readonly details?: AuditDetails;
};

/** Decides on a license that the transaction has locked; `undefined` if nothing changes. */
type Decide = (
  license: repository.LicenseRow,
  transaction: Transaction,
) => Change | undefined | Promise<Change | undefined>;

/** The new plan of a license, and all plans by name. */
type PlanChange = { readonly to: Plan; readonly plans: Plans };

/** A new status and the role in which it is set; an admin command acts as an owner. */
export type NewStatus = { readonly status: LicenseStatus; readonly as: StaffRole };

const statusActions: Record<LicenseStatus, AuditAction> = {
  active: 'license.reinstate',
  inactive: 'license.suspend',
  revoked: 'license.revoke',
  expired: 'license.expire',
};

/** Each method throws `ApiError` NOT_FOUND and the codes named in its comment. */
export class LicenseChangeService {
  readonly #deps: LicenseChangeServiceDeps;

  constructor(deps: LicenseChangeServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Sets the status. A license past its own expiry date reads `expired` whatever status is set. Only an owner can undo
   * a revocation: other roles get FORBIDDEN for making a revoked license active, and CONFLICT for another status. A
   * license that a refund made inactive and that staff then suspend stays inactive when it is paid for again.
   */
  setStatus(id: string, { status, as }: NewStatus, by: AuditContext): Promise<LicenseRecord> {
    return this.#apply(id, by, async (license, transaction) => {
      // The license is locked by now: a payment may be about to reactivate it.
      const wasRefunded = status === 'inactive' && (await repository.clearRefundSuspension(transaction, license.id));
      const unchanged = wasRefunded ? { set: {}, action: statusActions[status] } : undefined;
      return decideStatus(license, { status, as }) ?? unchanged;
    });
  }

  /** Returns the id, owner (if any) and key hash of the license. Throws like `setStatus`, but changes nothing. */
  async previewStatus(
    id: string,
    change: NewStatus,
  ): Promise<Pick<repository.LicenseRow, 'id' | 'user_id' | 'key_hash'>> {
    const license = await repository.findLicenseById(this.#deps.database.read, id);
    if (!license) throw unknownLicense();
    decideStatus(license, change);
    return license;
  }

  /**
   * Sets the expiry; `null` means never. CONFLICT for a revoked license, VALIDATION_ERROR for a date outside the years
   * 1901 to 9999.
   */
  setExpiry(id: string, expiresAtMs: number | null, by: AuditContext): Promise<LicenseRecord> {
    const expires_at_ms = expiresAtMs === null ? null : validateDate(expiresAtMs);
    return this.#apply(id, by, ({ status }) => {
      if (status === 'revoked') throw new ApiError('CONFLICT', 'A revoked license does not expire.');
      // A license whose status was set to expired would otherwise stay expired.
      const set = status === 'expired' ? ({ expires_at_ms, status: 'active' } as const) : { expires_at_ms };
      const details = { expires_at: toIsoOrNull(expires_at_ms) };
      return { set, action: 'license.change', details };
    });
  }

  /**
   * Sets the end of included updates; with `null` every version of the app is included. Devices learn of it with their
   * next lease. VALIDATION_ERROR for a date outside the years 1901 to 9999.
   */
  setUpdatesUntil(id: string, updatesUntilMs: number | null, by: AuditContext): Promise<LicenseRecord> {
    const updates_until_ms = updatesUntilMs === null ? null : validateDate(updatesUntilMs);
    const details = { updates_until: toIsoOrNull(updates_until_ms) };
    return this.#apply(id, by, () => ({ set: { updates_until_ms }, action: 'license.change', details }));
  }

  /** Sets the device limit. Devices beyond it stay active until they are released. */
  setMaxActivations(id: string, maxActivations: number, by: AuditContext): Promise<LicenseRecord> {
    return this.#apply(id, by, ({ max_activations }) => ({
      set: { max_activations: maxActivations },
      action: 'license.change',
      details: { max_activations: maxActivations, before: max_activations },
    }));
  }

  /** Within a write, locks the user's licenses against changes by others, for decisions on all of them. */
  async lockAllOf(transaction: Transaction, userId: string): Promise<void> {
    await repository.lockLicensesOf(transaction, userId);
  }

  /**
   * Within a write, changes the status from `from` to `to`. Returns false if the license has another status than
   * `from`.
   */
  async switchWithin(
    transaction: Transaction,
    id: string,
    { from, to }: { readonly from: LicenseStatus; readonly to: LicenseStatus },
    by: AuditContext,
  ): Promise<boolean> {
    return this.#applyWithin(transaction, id, by, ({ status }) =>
      status === from ? { set: { status: to }, action: statusActions[to] } : undefined,
    );
  }

  /**
   * Within a write, sets another plan. The device limit becomes that of the new plan if it equaled that of the old one.
   */
  async setPlanWithin(
    transaction: Transaction,
    id: string,
    { to, plans }: PlanChange,
    by: AuditContext,
  ): Promise<void> {
    await this.#applyWithin(transaction, id, by, ({ plan, max_activations: limit }) => {
      if (plan === to.name) return undefined;
      const max_activations = limit === plans.get(plan)?.max_devices ? to.max_devices : limit;
      const details = { plan: to.name, before: plan, max_activations };
      return { set: { plan: to.name, max_activations }, action: 'license.change', details };
    });
  }

  /**
   * Within a write that has locked the account, removes it as the owner of unused licenses that were neither bought nor
   * depend on its subscription. It was given them for an address that it never confirmed and now changes: the keys
   * mailed there stay usable for the person who reads that mail.
   */
  async unassignUnusedWithin(transaction: Transaction, userId: string, by: AuditContext): Promise<void> {
    const { clock, auditLog } = this.#deps;
    await repository.lockLicensesOf(transaction, userId);
    for (const license of await repository.listUnusedLicenses(transaction, userId)) {
      await repository.changeLicense(transaction, license.id, { user_id: null, updated_at_ms: clock.now() });
      const details = { account_id: null, account_id_before: userId };
      const target = licenseTarget(license);
      await auditLog.record(transaction, { ...by, action: 'license.change', target, details });
    }
  }

  async #apply(id: string, by: AuditContext, decide: Decide): Promise<LicenseRecord> {
    const { database, licenseAdmin } = this.#deps;
    await database.write((transaction) => this.#applyWithin(transaction, id, by, decide));
    return licenseAdmin.get(id);
  }

  /** Returns true if anything changed. */
  async #applyWithin(transaction: Transaction, id: string, by: AuditContext, decide: Decide): Promise<boolean> {
    const { clock, auditLog, outbox } = this.#deps;
    const license = await repository.lockAndFindLicense(transaction, id);
    if (!license) throw unknownLicense();
    const change = await decide(license, transaction);
    if (!change) return false;
    const { set, action, details = {} } = change;
    const nowMs = clock.now();
    const changed = { ...license, ...set };
    const status = readLicenseStatus(changed, nowMs);
    // A new status or expiry makes its reminders and `license.expired` due again.
    const isNoticeReset = set.status !== undefined || set.expires_at_ms !== undefined;
    const noticed_lead_ms = status === 'expired' ? 0 : isNoticeReset ? null : license.noticed_lead_ms;
    await repository.changeLicense(transaction, id, { ...set, noticed_lead_ms, updated_at_ms: nowMs });
    const target = licenseTarget(license);
    await auditLog.record(transaction, { ...by, action, target, details });
    if (status !== readAnnouncedStatus(license, nowMs)) await outbox.add(transaction, licenseBecame(status, changed));
    return true;
  }
}

function decideStatus(license: repository.LicenseRow, { status, as }: NewStatus): Change | undefined {
  if (license.status === status) return undefined;
  if (license.status === 'revoked' && as !== 'owner') throw refuseUnrevoking(status);
  return { set: { status }, action: statusActions[status] };
}

function refuseUnrevoking(status: LicenseStatus): ApiError {
  if (status !== 'active') return new ApiError('CONFLICT', 'A revoked license cannot be suspended.');
  return new ApiError('FORBIDDEN', 'Only an owner may reinstate a license that was revoked.');
}
