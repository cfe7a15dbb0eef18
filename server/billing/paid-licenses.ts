/**
 * The license that comes with a purchase. It has the plan of its subscription and depends on it: when the subscription
 * ends or is refunded, the license moves to the best paid subscription if that has none; otherwise it no longer gives
 * access.
 */
import type { AuditContext } from '../audit/audit-event.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import type { LicenseAdminService } from '../licenses/license-admin.service.ts';
import type { LicenseChangeService } from '../licenses/license-change.service.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionRow, SubscriptionService } from '../subscriptions/subscription.service.ts';
import { isRefunded } from './billing.rules.ts';
import * as repository from './payment.repository.ts';

type PaidLicensesDeps = Pick<CommonDeps, 'config' | 'clock'> & {
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
  readonly licenseAdmin: LicenseAdminService;
  readonly licenseChanges: LicenseChangeService;
};

export class PaidLicenses {
  readonly #deps: PaidLicensesDeps;

  constructor(deps: PaidLicensesDeps) {
    this.#deps = deps;
  }

  /**
   * Locks the account and its licenses. Must be called before `follow`, and before the write changes anything of the
   * subscription: staff may be suspending a license at this moment, or deleting the account.
   */
  async lockAccount(transaction: Transaction, userId: string): Promise<void> {
    await lockUser(transaction, userId);
    await this.#deps.licenseChanges.lockAllOf(transaction, userId);
  }

  /** Adjusts the account's licenses, within the write that has changed the subscription. */
  async follow(transaction: Transaction, changed: SubscriptionRow, by: AuditContext): Promise<void> {
    const { config, clock, subscriptions } = this.#deps;
    const { user_id: userId, plan } = changed;
    const isPaying = givesAccess(changed, clock.now());
    const atProvider = await repository.findProviderSubscription(transaction, keyOfRow(changed));
    if (atProvider?.license_id && isPaying) {
      if (atProvider.is_license_suspended) await this.#giveBack(transaction, atProvider.license_id, { atProvider, by });
      await this.#setPlan(transaction, atProvider.license_id, { plan, by });
    }
    const paid = await subscriptions.listPaid(transaction, userId);
    await this.#moveToBest(transaction, userId, { paid, by });
    await this.#suspendEnded(transaction, userId, { paid, by });
    if (isPaying && config.billing.issuesLicenses) await this.#issue(transaction, changed, by);
  }

  /** Moves the license of a lesser or ended subscription to the best paid one, if that has none. */
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
   * Suspends the licenses of ended subscriptions. A license is valid with any subscription of its account, so one whose
   * own subscription has ended is suspended while another one is paid; one that was refunded is always suspended.
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

  /** Sets the plan of the license, and its device limit unless staff have set another one. */
  async #setPlan(
    transaction: Transaction,
    licenseId: string,
    { plan, by }: { readonly plan: string; readonly by: AuditContext },
  ): Promise<void> {
    const { plans, licenseChanges } = this.#deps;
    const to = await plans.require(plan, transaction);
    await licenseChanges.setPlanWithin(transaction, licenseId, { to, plans: await plans.loadAll() }, by);
  }

  /** Issues a license of the plan that was paid for, which the account's best subscription, maybe a trial, may not have. */
  async #issue(transaction: Transaction, row: SubscriptionRow, by: AuditContext): Promise<void> {
    const { licenseAdmin } = this.#deps;
    const { user_id: userId, plan } = row;
    if (await repository.isLicensed(transaction, userId)) return;
    const sendTo = { buyerId: userId };
    const id = await licenseAdmin.issueWithin(transaction, { userId, plan, withSubscription: true, sendTo }, by);
    await repository.saveProviderSubscription(transaction, {
      ...keyOfRow(row),
      license_id: id,
      is_license_suspended: 0,
    });
  }

  /** Reactivates a suspended license, unless staff have decided otherwise since. */
  async #giveBack(
    transaction: Transaction,
    licenseId: string,
    { atProvider, by }: { readonly atProvider: repository.ProviderSubscription; readonly by: AuditContext },
  ): Promise<void> {
    const change = { from: 'inactive', to: 'active' } as const;
    await this.#deps.licenseChanges.switchWithin(transaction, licenseId, change, by);
    await repository.saveProviderSubscription(transaction, { ...keyOf(atProvider), is_license_suspended: 0 });
  }
}

type Key = Pick<repository.ProviderSubscription, 'provider' | 'reference'>;
type Settling = {
  /** The paid subscriptions of the account, best first. */
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
