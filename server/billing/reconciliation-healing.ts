/** Makes an account agree with what a provider says of it, under the rules by which an event is applied. */
import { parseEmail } from '../../shared/formats/email.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { Account } from '../accounts/account.ts';
import type { AuditContext, AuditDetails } from '../audit/audit-event.ts';
import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { chooseSubscription, givesAccess } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import { bindCustomer, findCustomer } from './billing.repository.ts';
import { isOutdated, isRefunded, latest } from './billing.rules.ts';
import { lockBilling } from './billing.service.ts';
import { isCustomer, isTrusted, reconciledReference } from './event-application.ts';
import { type AccountHolding, loadHoldings } from './holdings.ts';
import type { PaidLicenses } from './paid-licenses.ts';
import { saveProviderSubscription } from './payment.repository.ts';
import { compare, type FindingKind, isSameEnd } from './reconciliation.rules.ts';
import type { StatedRow } from './reconciliation-report.ts';

export type ReconciliationHealingDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly accounts: AccountService;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
  readonly paidLicenses: PaidLicenses;
};

export type Healed =
  | { readonly kind: 'agree' }
  | {
      readonly kind: FindingKind;
      /** As it was before. */
      readonly holding: AccountHolding;
      readonly result: { readonly healed?: boolean; readonly reason?: string };
    };

export type Healing = { readonly by: AuditContext; readonly file: string };

/** Whose row it is, and whether the provider's customer belongs to that account already. */
type Found = { readonly account: Account; readonly isOfCustomer: boolean };

type Work = Healing & {
  readonly stated: StatedRow;
  readonly account: Account;
  readonly holding: AccountHolding;
  readonly kind: Exclude<FindingKind, 'stale'>;
  readonly nowMs: number;
};

const noEmailReason = 'There is no account of this customer, and no email to create it with.';
const unconfirmedReason =
  'The account with this email has not confirmed it. Once it has, or after "billing retry --confirm-email" of an event of this customer, reconcile again.';

export class ReconciliationHealing {
  readonly #deps: ReconciliationHealingDeps;

  constructor(deps: ReconciliationHealingDeps) {
    this.#deps = deps;
  }

  /** In a write of its own, and only if the row still does not agree by then. */
  heal(stated: StatedRow, healing: Healing): Promise<Healed> {
    const { database, clock } = this.#deps;
    const nowMs = clock.now();
    return database.write(async (transaction) => {
      await lockBilling(transaction);
      const found = await this.#findAccount(transaction, stated);
      if (found) await lockUser(transaction, found.account.id);
      const holding = await this.#load(transaction, { stated, userId: found?.account.id ?? null, nowMs });
      if (stated.asOfMs !== null && isOutdated(stated.asOfMs, holding.lastEventMs)) {
        return { kind: 'stale', holding, result: {} };
      }
      const kind = compare(stated, holding, nowMs);
      if (kind === 'agree') return { kind };
      const subject = found ?? (await this.#addAccount(transaction, stated, healing.by));
      const reason = subject ? refusalOf(subject, stated, holding) : noEmailReason;
      if (!subject || reason) return { kind, holding, result: { healed: false, reason } };
      const work = { ...healing, stated, account: subject.account, holding, kind, nowMs };
      await (kind === 'access_without_payment' ? this.#end(transaction, work) : this.#set(transaction, work));
      return { kind, holding, result: { healed: true } };
    });
  }

  async #load(
    transaction: Transaction,
    { stated, userId, nowMs }: { readonly stated: StatedRow; readonly userId: string | null; readonly nowMs: number },
  ): Promise<AccountHolding> {
    const { subscriptions, plans } = this.#deps;
    const featuresOf = await plans.loadFeatures();
    const userIds = userId === null ? [] : [userId];
    const holdings = await loadHoldings(transaction, { subscriptions, featuresOf }, { userIds, nowMs });
    return holdings.of(userId, stated.provider);
  }

  async #findAccount(transaction: Transaction, { provider, customer, email }: StatedRow): Promise<Found | undefined> {
    const { accounts } = this.#deps;
    const known = customer ? await findCustomer(transaction, { provider, customer_id: customer }) : undefined;
    const ofCustomer = known?.user_id ? await accounts.findById(known.user_id, transaction) : undefined;
    if (ofCustomer) return { account: ofCustomer, isOfCustomer: true };
    const ofEmail = email ? await accounts.findByEmail(email, transaction) : undefined;
    return ofEmail && { account: ofEmail, isOfCustomer: false };
  }

  async #addAccount(transaction: Transaction, { email }: StatedRow, by: AuditContext): Promise<Found | undefined> {
    if (!email) return undefined;
    return { account: await this.#deps.accounts.findOrAdd(transaction, email, by), isOfCustomer: false };
  }

  /** Ends whatever of the provider gives access. */
  async #end(transaction: Transaction, work: Work): Promise<void> {
    const { stated, account, holding, nowMs } = work;
    const source = stated.provider === 'webhook' ? 'account' : stated.provider;
    for (const row of holding.all) {
      if (row.source !== source || row.is_replaced === 1 || !givesAccess(row, nowMs)) continue;
      const periodEndMs = stated.periodEndMs ?? row.current_period_end_ms;
      await this.#apply(transaction, work, {
        reference: row.reference,
        byTypedEmail: row.by_typed_email === 1,
        settings: {
          plan: stated.plan || row.plan,
          periodStartMs: Math.min(row.current_period_start_ms, periodEndMs),
          periodEndMs,
          cancelAtPeriodEnd: row.cancel_at_period_end === 1,
        },
        userId: account.id,
      });
    }
  }

  async #set(transaction: Transaction, work: Work): Promise<void> {
    const { subscriptions, plans } = this.#deps;
    const { stated, account, holding, nowMs } = work;
    const { provider, customer, email } = stated;
    const source = provider === 'webhook' ? 'account' : provider;
    const known = holding.all.filter((row) => row.source === source);
    const row = holding.atProvider ?? chooseSubscription(known, await plans.loadFeatures(), nowMs);
    const reference = row?.reference ?? reconciledReference(customer || (parseEmail(email)?.key ?? ''));
    const byTypedEmail = provider !== 'webhook' && row?.by_typed_email !== 0;
    const isSame = row !== undefined && isSameEnd(stated, row);
    await this.#apply(transaction, work, {
      reference,
      byTypedEmail,
      settings: {
        plan: stated.plan,
        periodStartMs: isSame ? row.current_period_start_ms : undefined,
        periodEndMs: isSame ? row.current_period_end_ms : (stated.periodEndMs ?? undefined),
        cancelAtPeriodEnd: row?.cancel_at_period_end === 1,
      },
      userId: account.id,
    });
    if (provider === 'webhook') return;
    const typedEmail = email || undefined;
    if (customer && isCustomer(account, typedEmail)) {
      await bindCustomer(transaction, { provider, customer_id: customer, user_id: account.id });
    }
    // What staff have set in its place counts no more; what a typed email ties to the account replaces nothing.
    if (byTypedEmail) return;
    const own = holding.all.find((one) => one.source === 'account' && one.is_replaced === 0);
    if (own && own.status !== 'trialing' && givesAccess(own, nowMs)) await subscriptions.replace(transaction, own);
  }

  /** As an event that says the same, dated when the provider said it. */
  async #apply(
    transaction: Transaction,
    { stated, kind, nowMs, by, file }: Work,
    change: {
      readonly userId: string;
      readonly reference: string;
      readonly byTypedEmail: boolean;
      readonly settings: {
        readonly plan: string;
        readonly periodStartMs: number | undefined;
        readonly periodEndMs: number | undefined;
        readonly cancelAtPeriodEnd: boolean;
      };
    },
  ): Promise<void> {
    const { subscriptions, paidLicenses } = this.#deps;
    const { provider, customer, status, asOfMs } = stated;
    const { userId, reference, byTypedEmail, settings } = change;
    const key = { provider, reference };
    let said =
      provider === 'webhook'
        ? undefined
        : await saveProviderSubscription(transaction, { ...key, status, ...(customer && { customer_id: customer }) });
    // The provider says that it is paid beyond what was given back.
    if (said && isRefunded(said) && kind !== 'access_without_payment') {
      const paid_at_ms = latest(asOfMs ?? nowMs, (said.refunded_at_ms ?? 0) + 1);
      said = await saveProviderSubscription(transaction, { ...key, paid_at_ms });
    }
    const details: AuditDetails = { provider, found: kind, file, row: stated.row };
    await subscriptions.apply(transaction, userId, {
      provider,
      reference: provider === 'webhook' ? undefined : reference,
      eventAtMs: asOfMs ?? undefined,
      byTypedEmail,
      settings: { ...settings, status },
      by,
      action: 'billing.reconcile',
      details,
    });
    const isGiven = givesAccess({ status, current_period_end_ms: settings.periodEndMs ?? nowMs }, nowMs);
    await paidLicenses.follow(transaction, { userId, givesAccess: isGiven, said }, by);
  }
}

/** Why the row is not believed: an email that a customer typed counts only where nobody else could have the account. */
function refusalOf(
  { account, isOfCustomer }: Found,
  { provider }: StatedRow,
  { all }: AccountHolding,
): string | undefined {
  if (provider === 'webhook' || isOfCustomer || all.some(({ source }) => source === provider)) return undefined;
  return isTrusted(account, {}) ? undefined : unconfirmedReason;
}
