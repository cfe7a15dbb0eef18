/**
 * The license that a purchase brings. It has the plan of its subscription, and goes with that: when it ends or is refunded,
 * the license goes on with the best one that is paid if that has none, and else gives nothing any more.
 */

import type { AccountService } from '../accounts/account.service.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import type { BillingProviderName } from '../database/tables.ts';
import type { LicenseAdminService } from '../licenses/license-admin.service.ts';
import type { LicenseChangeService } from '../licenses/license-change.service.ts';
import type { PlanService } from '../plans/plan.service.ts';
import type { SubscriptionRow, SubscriptionService } from '../subscriptions/subscription.service.ts';
import { isRefunded } from './billing.rules.ts';
import * as repository from './payment.repository.ts';

export type PaidLicensesDeps = Pick<CommonDeps, 'config'> & {
  readonly accounts: AccountService;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
  readonly licenseAdmin: LicenseAdminService;
  readonly licenseChanges: LicenseChangeService;
};

/** A subscription that an event has changed. */
export type ChangedSubscription = {
  readonly userId: string;
  readonly provider: BillingProviderName;
  /** Left out for that of the operator's own system, of which an account has one. */
  readonly reference: string | undefined;
  readonly givesAccess: boolean;
};

export class PaidLicenses {
  readonly #deps: PaidLicensesDeps;

  constructor(deps: PaidLicensesDeps) {
    this.#deps = deps;
  }

  /** Within the write that has changed the subscription. */
  async follow(transaction: Transaction, changed: ChangedSubscription, by: AuditContext): Promise<void> {
    const { userId, provider, reference = userId, givesAccess } = changed;
    const said = await repository.findProviderSubscription(transaction, { provider, reference });
    if (said?.license_id && givesAccess) {
      if (said.is_license_suspended) await this.#giveBack(transaction, said.license_id, { said, by });
      const paid = await this.#deps.subscriptions.findOfProvider(transaction, provider, reference);
      await this.#setPlan(transaction, said.license_id, { plan: paid?.plan, by });
    }
    const paid = await this.#deps.subscriptions.listPaid(transaction, userId);
    await this.#moveToBest(transaction, userId, { paid, by });
    await this.#suspendEnded(transaction, userId, { paid, by });
    const { issuesLicenses } = this.#deps.config.billing;
    if (givesAccess && issuesLicenses) await this.#issue(transaction, { userId, provider, reference }, by);
  }

  /** The license of a lesser subscription, or of one that ended, goes on with the best one that is paid if that has none. */
  async #moveToBest(transaction: Transaction, userId: string, { paid, by }: Settling): Promise<void> {
    const [best] = paid;
    if (!best || (await repository.findProviderSubscription(transaction, keyOfRow(best)))?.license_id) return;
    const purchases = await repository.listLicensedPurchases(transaction, userId);
    const from = purchases.find((purchase) => !isPaid(purchase, paid)) ?? purchases[0];
    if (!from) return;
    await repository.saveProviderSubscription(transaction, { ...keyOf(from), license_id: null });
    await repository.saveProviderSubscription(transaction, {
      ...keyOfRow(best),
      license_id: from.license_id,
      is_license_suspended: 0,
    });
    await this.#setPlan(transaction, from.license_id, { plan: best.plan, by });
  }

  /**
   * A license counts with any subscription of its account. So that of one that ended is suspended while another one is
   * paid; that of one that was refunded always is.
   */
  async #suspendEnded(transaction: Transaction, userId: string, { paid, by }: Settling): Promise<void> {
    for (const purchase of await repository.listLicensedPurchases(transaction, userId)) {
      if (isPaid(purchase, paid) || (paid.length === 0 && !isRefunded(purchase))) continue;
      const change = { from: 'active', to: 'inactive' } as const;
      if (await this.#deps.licenseChanges.switchWithin(transaction, purchase.license_id, change, by)) {
        await repository.saveProviderSubscription(transaction, { ...keyOf(purchase), is_license_suspended: 1 });
      }
    }
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

  async #issue(transaction: Transaction, { userId, ...key }: Issuing, by: AuditContext): Promise<void> {
    const { accounts, subscriptions, licenseAdmin } = this.#deps;
    if (await repository.isLicensed(transaction, userId)) return;
    const { email } = await accounts.get(userId, transaction);
    const sendTo = { email, buyerId: userId };
    // The plan that is paid for, which need not be that of the best subscription of the account: that may be a trial.
    const plan = (await subscriptions.findOfProvider(transaction, key.provider, key.reference))?.plan;
    const id = await licenseAdmin.issueWithin(transaction, { userId, plan, withSubscription: true, sendTo }, by);
    await repository.saveProviderSubscription(transaction, { ...key, license_id: id, is_license_suspended: 0 });
  }

  /** Unless staff have decided otherwise since. */
  async #giveBack(
    transaction: Transaction,
    licenseId: string,
    { said, by }: { readonly said: repository.ProviderSubscription; readonly by: AuditContext },
  ): Promise<void> {
    const change = { from: 'inactive', to: 'active' } as const;
    await this.#deps.licenseChanges.switchWithin(transaction, licenseId, change, by);
    await repository.saveProviderSubscription(transaction, { ...keyOf(said), is_license_suspended: 0 });
  }
}

type Key = Pick<repository.ProviderSubscription, 'provider' | 'reference'>;
type Issuing = Key & { readonly userId: string };
type Settling = {
  /** The subscriptions of the account that are paid, the best one first. */
  readonly paid: readonly SubscriptionRow[];
  readonly by: AuditContext;
};

function keyOf({ provider, reference }: Key): Key {
  return { provider, reference };
}

function keyOfRow({ source, reference }: SubscriptionRow): Key {
  return { provider: source === 'account' ? 'webhook' : source, reference };
}

function isPaid({ provider, reference }: Key, paid: readonly SubscriptionRow[]): boolean {
  return paid.map(keyOfRow).some((key) => key.provider === provider && key.reference === reference);
}
