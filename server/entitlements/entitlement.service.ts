/** What a user is entitled to: the subscription, the license, and the features in force now. */
import type { Entitlement } from '../../shared/api/admin/accounts.ts';
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import type { AccountSnapshot } from '../account-snapshots/account-snapshot.ts';
import type { SnapshotCache } from '../account-snapshots/snapshot-cache.ts';
import type { CommonDeps } from '../common-deps.ts';
import { ApiError } from '../errors.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { decidePlan, describeStatus } from './entitlement.rules.ts';

type EntitlementServiceDeps = CommonDeps & {
  readonly accountSnapshots: SnapshotCache;
  readonly plans: PlanService;
};

export class EntitlementService {
  readonly #deps: EntitlementServiceDeps;

  constructor(deps: EntitlementServiceDeps) {
    this.#deps = deps;
  }

  /** Handles `/subscription/status`. */
  async status(userId: string): Promise<SubscriptionStatusResponse> {
    const { clock, accountSnapshots, plans } = this.#deps;
    const account = await accountSnapshots.requireAccount(userId);
    return describeStatus(account, await plans.loadFeatures(), clock.now());
  }

  /** Returns what the account may use now, and why. Throws `ApiError` NOT_FOUND. */
  async explain(userId: string): Promise<Entitlement> {
    const { clock, accountSnapshots, plans } = this.#deps;
    const account = await accountSnapshots.findAccount(userId);
    if (!account) throw new ApiError('NOT_FOUND');
    const featuresOf = await plans.loadFeatures();
    const decision = decidePlan(account, featuresOf, clock.now());
    return { ...decision, features: featuresOf(decision.plan) };
  }

  /** Returns how many devices the user may use now. */
  async maxDevices(account: AccountSnapshot): Promise<number> {
    const { clock, plans } = this.#deps;
    const featuresOf = await plans.loadFeatures();
    return featuresOf(decidePlan(account, featuresOf, clock.now()).plan).max_devices;
  }
}
