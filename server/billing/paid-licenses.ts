/**
 * The license that a purchase brings, that has the plan which its subscription has, and that its refund takes back. A refund takes only what was issued for the
 * subscription that it is about: if the account has another one by then that has no license, the license goes on with that.
 */
import type { AccountService } from '../accounts/account.service.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { Transaction } from '../database/database.ts';
import type { LicenseAdminService } from '../licenses/license-admin.service.ts';
import type { LicenseChangeService } from '../licenses/license-change.service.ts';
import type { PlanService } from '../plans/plan.service.ts';
import type { SubscriptionRow, SubscriptionService } from '../subscriptions/subscription.service.ts';
import { isRefunded } from './billing.rules.ts';
import {
  findProviderSubscription,
  hasOtherLicense,
  isLicensed,
  type ProviderSubscription,
  saveProviderSubscription,
} from './payment.repository.ts';

export type PaidLicensesDeps = {
  readonly accounts: AccountService;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
  readonly licenseAdmin: LicenseAdminService;
  readonly licenseChanges: LicenseChangeService;
  /** Whether a purchase issues a license. */
  readonly issuesLicenses: boolean;
};

/** A subscription that an event has changed. */
export type ChangedSubscription = {
  readonly userId: string;
  readonly givesAccess: boolean;
  /** `undefined` for that of the operator's own system, which has no refunds. */
  readonly said: ProviderSubscription | undefined;
};

export class PaidLicenses {
  readonly #deps: PaidLicensesDeps;

  constructor(deps: PaidLicensesDeps) {
    this.#deps = deps;
  }

  /** Within the write that has changed the subscription. */
  async follow(transaction: Transaction, changed: ChangedSubscription, by: AuditContext): Promise<void> {
    const { userId, givesAccess, said } = changed;
    if (said && isRefunded(said)) {
      if (said.license_id !== null) await this.#takeBack(transaction, userId, said.license_id, { said, by });
    } else if (givesAccess) {
      if (said?.license_id) {
        if (said.is_license_suspended) await this.#giveBack(transaction, said.license_id, { said, by });
        await this.#setPlan(transaction, said.license_id, { plan: await this.#readPlan(transaction, changed), by });
      } else if (this.#deps.issuesLicenses) {
        await this.#issue(transaction, changed, by);
      }
    }
  }

  /** The plan that is paid for, which need not be that of the best subscription of the account: that may be a trial. */
  async #readPlan(transaction: Transaction, { userId, said }: ChangedSubscription): Promise<string | undefined> {
    const { provider, reference } = said ?? { provider: 'webhook', reference: userId };
    return (await this.#deps.subscriptions.findOfProvider(transaction, provider, reference))?.plan;
  }

  /** With as many devices as the plan has, unless staff have set another limit. */
  async #setPlan(
    transaction: Transaction,
    licenseId: string,
    { plan, by }: { readonly plan: string | undefined; readonly by: AuditContext },
  ): Promise<void> {
    if (plan === undefined) return;
    const { plans, licenseChanges } = this.#deps;
    const to = await plans.require(plan, transaction);
    await licenseChanges.setPlanWithin(transaction, licenseId, { to, plans: await plans.loadAll() }, by);
  }

  async #issue(transaction: Transaction, changed: ChangedSubscription, by: AuditContext): Promise<void> {
    const { userId, said } = changed;
    const { accounts, licenseAdmin } = this.#deps;
    if (await isLicensed(transaction, userId)) return;
    const account = await accounts.findById(userId, transaction);
    if (!account) return;
    const sendTo = { email: account.email, buyerId: userId };
    const plan = await this.#readPlan(transaction, changed);
    const id = await licenseAdmin.issueWithin(transaction, { userId, plan, withSubscription: true, sendTo }, by);
    if (said) await saveProviderSubscription(transaction, { ...keyOf(said), license_id: id, is_license_suspended: 0 });
  }

  async #takeBack(
    transaction: Transaction,
    userId: string,
    licenseId: string,
    { said, by }: { readonly said: ProviderSubscription; readonly by: AuditContext },
  ): Promise<void> {
    if (said.is_license_suspended) return;
    const { licenseChanges } = this.#deps;
    const other = await this.#findUnlicensed(transaction, userId, licenseId);
    if (!other) {
      const change = { from: 'active', to: 'inactive' } as const;
      if (!(await licenseChanges.switchWithin(transaction, licenseId, change, by))) return;
      await saveProviderSubscription(transaction, { ...keyOf(said), is_license_suspended: 1 });
      return;
    }
    await saveProviderSubscription(transaction, { ...keyOf(said), license_id: null });
    await this.#setPlan(transaction, licenseId, { plan: other.plan, by });
    if (other.source === 'account') return;
    const key = { provider: other.source, reference: other.reference };
    await saveProviderSubscription(transaction, { ...key, license_id: licenseId, is_license_suspended: 0 });
  }

  /** The subscription that the license goes on with: the best one that is paid, unless that has a license already. */
  async #findUnlicensed(
    transaction: Transaction,
    userId: string,
    licenseId: string,
  ): Promise<SubscriptionRow | undefined> {
    const other = await this.#deps.subscriptions.findPaid(transaction, userId);
    if (!other) return undefined;
    if (other.source === 'account') {
      return (await hasOtherLicense(transaction, userId, licenseId)) ? undefined : other;
    }
    const said = await findProviderSubscription(transaction, { provider: other.source, reference: other.reference });
    return said?.license_id ? undefined : other;
  }

  /** Unless staff have decided otherwise since. */
  async #giveBack(
    transaction: Transaction,
    licenseId: string,
    { said, by }: { readonly said: ProviderSubscription; readonly by: AuditContext },
  ): Promise<void> {
    const change = { from: 'inactive', to: 'active' } as const;
    await this.#deps.licenseChanges.switchWithin(transaction, licenseId, change, by);
    await saveProviderSubscription(transaction, { ...keyOf(said), is_license_suspended: 0 });
  }
}

function keyOf({ provider, reference }: ProviderSubscription): Pick<ProviderSubscription, 'provider' | 'reference'> {
  return { provider, reference };
}
