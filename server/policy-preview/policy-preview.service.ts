/**
 * Previews a policy change: compares what accounts, licenses and devices get now with what the same rules give them
 * after the change. Writes, locks and caches nothing.
 */

import type { PolicyPreview } from '../../shared/api/admin/policy-preview.ts';
import { isOn } from '../../shared/formats/feature-fields.ts';
import type { LicenseSnapshot } from '../account-snapshots/account-snapshot.ts';
import { readPlanHolders } from '../account-snapshots/plan-holders.ts';
import type { SnapshotCache } from '../account-snapshots/snapshot-cache.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { GrantInput } from '../leases/lease-grant.rules.ts';
import type { LicenseChangeService, NewStatus } from '../licenses/license-change.service.ts';
import type { FeatureService } from '../plans/feature.service.ts';
import { freePlan, type Plan, type PlanChange, type PlanService, type Plans } from '../plans/plan.service.ts';
import { PolicyComparison } from './policy-preview.rules.ts';

type PolicyPreviewServiceDeps = CommonDeps & {
  readonly accountSnapshots: SnapshotCache;
  readonly plans: PlanService;
  readonly features: FeatureService;
  readonly licenseChanges: LicenseChangeService;
};

/** Each method throws what the change itself would throw. */
export class PolicyPreviewService {
  readonly #deps: PolicyPreviewServiceDeps;

  constructor(deps: PolicyPreviewServiceDeps) {
    this.#deps = deps;
  }

  /** Previews what `PlanService.set` would change. */
  async previewPlan(name: string, change: PlanChange): Promise<PolicyPreview> {
    const { before, after } = await this.#deps.plans.previewSet(name, change);
    return this.#comparePlans(before, after);
  }

  /** Previews what `FeatureService.remove` would change. */
  async previewFeatureRemoval(name: string, options: { readonly fromPlans: boolean }): Promise<PolicyPreview> {
    const { features, plans, database } = this.#deps;
    await features.requireRemovable(name, options);
    const before = await plans.readAll(database.read);
    return this.#comparePlans(before, new Map([...before].map(([key, plan]) => [key, withoutFeature(plan, name)])));
  }

  /** Previews what `LicenseChangeService.setStatus` would change. */
  async previewLicenseStatus(id: string, change: NewStatus): Promise<PolicyPreview> {
    const { database, accountSnapshots, plans, licenseChanges } = this.#deps;
    const { user_id: userId, key_hash: keyHash } = await licenseChanges.previewStatus(id, change);
    const input = this.#inputOf(await plans.readAll(database.read));
    const comparison = new PolicyComparison();
    const changed = (license: LicenseSnapshot) => (license.id === id ? { ...license, status: change.status } : license);
    if (userId === null) {
      const license = await accountSnapshots.readLicense(database.read, keyHash);
      const [before, after] = license ? [unclaimed(license), unclaimed(changed(license))] : [];
      if (before && after) comparison.addUnclaimed({ account: before, input }, { account: after, input });
      return comparison.result();
    }
    const account = await accountSnapshots.readAccount(database.read, userId);
    if (account) {
      const after = { ...account, licenses: account.licenses.map(changed) };
      comparison.addAccount({ account, input }, { account: after, input });
    }
    return comparison.result();
  }

  /** Reads only accounts that a change of these plans can affect; a change of `free` can affect every account. */
  async #comparePlans(before: Plans, after: Plans): Promise<PolicyPreview> {
    const { database } = this.#deps;
    const comparison = new PolicyComparison();
    const names = [...before.keys()].filter((name) => !isSamePlan(before.get(name), after.get(name)));
    if (names.length === 0) return comparison.result();
    const now = this.#inputOf(before);
    const then = { ...now, plans: after };
    const everybody = names.includes(freePlan);
    for await (const holder of readPlanHolders(database.read, { plans: names, everybody, nowMs: now.nowMs })) {
      if ('account' in holder) {
        const account = holder.account;
        comparison.addAccount({ account, input: now }, { account, input: then });
      } else {
        const account = unclaimed(holder.unclaimed);
        comparison.addUnclaimed({ account, input: now }, { account, input: then });
      }
    }
    return comparison.result();
  }

  #inputOf(plans: Plans): GrantInput {
    const { config, clock } = this.#deps;
    return { plans, nowMs: clock.now(), ttlMs: config.leaseTtlMs };
  }
}

function unclaimed(license: LicenseSnapshot) {
  return { subscriptions: [], licenses: [license] };
}

function withoutFeature(plan: Plan, name: string): Plan {
  if (!isOn(plan.features, name)) return plan;
  const { [name]: _removed, ...features } = plan.features;
  return { ...plan, features: features as Plan['features'] };
}

/** Compares two plans, ignoring the time of the last change. */
function isSamePlan(one: Plan | undefined, other: Plan | undefined): boolean {
  const terms = (plan: Plan | undefined) => JSON.stringify({ ...plan, updated_at: undefined });
  return terms(one) === terms(other);
}
