/** What a user has: the subscription, the license, and the features in force now. */
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import type { Clock } from '../clock.ts';
import type { LicenseService } from '../licenses/license.service.ts';
import type { PlanService } from '../plans/plan.service.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import { decidePlanInForce, describeStatus, hasLicenses, planInForce } from './account-record.rules.ts';
import type { AccountRecord } from './account-record.ts';
import type { AccountRecords } from './account-records.ts';

export type EntitlementServiceDeps = {
  readonly clock: Clock;
  readonly accountRecords: AccountRecords;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
  readonly licenses: LicenseService;
};

export class EntitlementService {
  readonly #deps: EntitlementServiceDeps;

  constructor(deps: EntitlementServiceDeps) {
    this.#deps = deps;
  }

  /** The response of `/subscription/status`; without a promise if the account is cached. */
  status(userId: string): SubscriptionStatusResponse | Promise<SubscriptionStatusResponse> {
    const { clock, accountRecords, plans } = this.#deps;
    const account = accountRecords.findAccount(userId);
    const featuresOf = plans.cachedFeatures;
    if (!account || !featuresOf || !hasLicenses(account)) return this.#loadStatus(userId);
    return describeStatus(account, featuresOf, clock.now());
  }

  /** How many devices the user may use now. */
  async maxDevices(account: AccountRecord): Promise<number> {
    const { clock, plans, subscriptions, licenses } = this.#deps;
    const featuresOf = await plans.loadFeatures();
    if (hasLicenses(account)) return featuresOf(planInForce(account, featuresOf, clock.now())).max_devices;
    const access = await subscriptions.findAccess(account.userId);
    const main = access ? undefined : await licenses.findMain(account.userId);
    return featuresOf(decidePlanInForce(access, main)).max_devices;
  }

  async #loadStatus(userId: string): Promise<SubscriptionStatusResponse> {
    const { clock, accountRecords, plans } = this.#deps;
    const account = await accountRecords.requireAccount(userId);
    const featuresOf = await plans.loadFeatures();
    if (hasLicenses(account)) return describeStatus(account, featuresOf, clock.now());
    return this.#readStatus(userId);
  }

  /** For an account with too many licenses or devices to cache. */
  async #readStatus(userId: string): Promise<SubscriptionStatusResponse> {
    const { plans, subscriptions, licenses } = this.#deps;
    const access = await subscriptions.findAccess(userId);
    const main = await licenses.findMain(userId);
    const features = await plans.featuresOf(decidePlanInForce(access, main));
    const license = main?.license ?? null;
    if (!access) return { has_subscription: false, subscription: null, license, features };
    return { has_subscription: true, subscription: access.subscription, license, features };
  }
}
