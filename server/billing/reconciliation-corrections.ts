/** Makes subscriptions agree with what a provider states, under the same rules as for events. */
import type { Account } from '../accounts/account.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionRow, SubscriptionSettings } from '../subscriptions/subscription.service.ts';
import { hasEmail, isCustomer, isTrusted } from './account-trust.rules.ts';
import { bindCustomer } from './billing.repository.ts';
import { isRefunded, latest } from './billing.rules.ts';
import type { CustomerStatesDeps, GroupedRows } from './customer-states.ts';
import type { PaidLicenses } from './paid-licenses.ts';
import { saveProviderSubscription } from './payment.repository.ts';
import { setProviderReference } from './provisional-subscription.ts';
import { isSameEnd } from './reconciliation.rules.ts';
import { type Decision, decideAll, isWrong } from './reconciliation-decisions.ts';
import type { ReportedSubscription } from './reported-subscription.ts';

export type ReconciliationCorrectionsDeps = CustomerStatesDeps &
  CommonDeps & {
    readonly plans: PlanService;
    readonly paidLicenses: PaidLicenses;
  };

type ApplyContext = {
  readonly by: AuditContext;
  readonly file: string;
  /** Returns true if any row of the whole list has the key. */
  readonly hasKey: GroupedRows['hasKey'];
};

const noEmailReason = 'There is no account of this customer, and no email to create it with.';
const unconfirmedReason =
  'The account with this email has not confirmed it. Once it has, or after "billing retry --confirm-email" of an event of this customer, reconcile again.';
const ambiguousReason =
  'It is not sure which subscription this row is about: name it by its id in a column "subscription", and reconcile again.';

export class ReconciliationCorrections {
  readonly #deps: ReconciliationCorrectionsDeps;

  constructor(deps: ReconciliationCorrectionsDeps) {
    this.#deps = deps;
  }

  /** Applies the rows of one key in a separate write. Rows that agree by then change nothing. */
  apply(found: readonly Decision[], context: ApplyContext): Promise<Decision[]> {
    const { database, clock, paidLicenses } = this.#deps;
    const listed = { groups: [found.map(({ reported }) => reported)], hasKey: context.hasKey };
    const userIds = new Set(found.flatMap(({ userId }) => userId ?? []));
    return database.write(async (transaction) => {
      await lockByName(transaction, 'billing');
      for (const userId of [...userIds].toSorted()) await paidLicenses.lockAccount(transaction, userId);
      const [decisions = []] = await decideAll(transaction, this.#deps, listed, clock.now());
      const applied: Decision[] = [];
      for (const decision of decisions) {
        const result = isWrong(decision) ? await this.#applyOne(transaction, decision, context) : {};
        applied.push({ ...decision, ...result });
      }
      return applied;
    });
  }

  async #applyOne(transaction: Transaction, decision: Decision, context: ApplyContext): Promise<Result> {
    const { accounts } = this.#deps;
    const { userId, reported } = decision;
    const found = userId === undefined ? undefined : await accounts.findById(userId, transaction);
    if (!found && !reported.email) return { healed: false, reason: noEmailReason };
    const account = found ?? (await accounts.findOrAdd(transaction, reported.email, context.by));
    const reason = refusalOf(decision, account);
    if (reason) return { healed: false, reason };
    await this.#change(transaction, { decision, account }, context);
    return { healed: true };
  }

  async #change(
    transaction: Transaction,
    { decision, account }: { readonly decision: Decision; readonly account: Account },
    { by, file }: ApplyContext,
  ): Promise<void> {
    const { subscriptions, paidLicenses } = this.#deps;
    const { reported, kind, known, reference } = decision;
    const { provider, status, asOfMs } = reported;
    const isAtProvider = provider !== 'webhook';
    const isRenamed = known !== undefined && known.row.reference !== reference;
    if (isRenamed) await setProviderReference(transaction, subscriptions, { provider, row: known.row, reference });
    if (isAtProvider) await this.#saveState(transaction, decision);
    const row = known?.row;
    const isEnded = kind === 'access_without_payment';
    // Applied like an event with this state, dated when the provider reported it.
    const changed = await subscriptions.apply(transaction, account.id, {
      provider,
      reference: isAtProvider ? reference : undefined,
      eventAtMs: asOfMs ?? undefined,
      byTypedEmail: isAtProvider && row?.by_typed_email !== 0,
      settings: {
        ...(isEnded && row ? toEnded(reported, row) : toPaid(reported, row)),
        status,
        cancelAtPeriodEnd: row?.cancel_at_period_end === 1,
      },
      by,
      action: 'billing.reconcile',
      details: { provider, found: kind, file, row: reported.row },
    });
    if (isAtProvider && !isEnded) await this.#bind(transaction, account, decision);
    await paidLicenses.follow(transaction, changed, by);
  }

  async #bind(transaction: Transaction, account: Account, { reported, known, nowMs }: Decision): Promise<void> {
    const { provider, customer, email } = reported;
    const isKnownCustomer = provider === 'stripe' || email !== '';
    if (customer && isKnownCustomer && isCustomer(account, email || undefined)) {
      await bindCustomer(transaction, { provider, customer_id: customer, user_id: account.id });
    }
    // Replaces a subscription that staff set in its place, unless only a typed email ties this one to the account.
    if (known?.row.by_typed_email === 0 && known.row.is_replaced === 1) {
      await this.#replaceOwn(transaction, account.id, nowMs);
    }
  }

  /** Saves what the provider says, which refunds are compared with. */
  async #saveState(transaction: Transaction, { reported, kind, reference, nowMs }: Decision): Promise<void> {
    const { provider, customer, status, asOfMs } = reported;
    const key = { provider, reference };
    const saved = await saveProviderSubscription(transaction, { ...key, status, customer_id: customer || undefined });
    if (!isRefunded(saved) || kind === 'access_without_payment') return;
    // The list shows that the subscription was paid again after the refund.
    const paid_at_ms = latest(asOfMs ?? nowMs, (saved.refunded_at_ms ?? 0) + 1);
    await saveProviderSubscription(transaction, { ...key, paid_at_ms });
  }

  async #replaceOwn(transaction: Transaction, userId: string, nowMs: number): Promise<void> {
    const { subscriptions } = this.#deps;
    const own = (await subscriptions.listInUse(transaction, userId)).find(({ source }) => source === 'account');
    if (own && own.status !== 'trialing' && givesAccess(own, nowMs)) await subscriptions.replace(transaction, own);
  }
}

type Result = Pick<Decision, 'healed' | 'reason'>;
type Period = Pick<SubscriptionSettings, 'plan' | 'periodStartMs' | 'periodEndMs'>;

function toEnded({ plan, periodEndMs }: ReportedSubscription, row: SubscriptionRow): Period {
  const endMs = periodEndMs ?? row.current_period_end_ms;
  return { plan: plan || row.plan, periodStartMs: Math.min(row.current_period_start_ms, endMs), periodEndMs: endMs };
}

/** Returns the reported period, or the server's if it is the same but more precise. */
function toPaid(reported: ReportedSubscription, row: SubscriptionRow | undefined): Period {
  const { plan, periodEndMs } = reported;
  return row && isSameEnd(reported, row)
    ? { plan, periodStartMs: row.current_period_start_ms, periodEndMs: row.current_period_end_ms }
    : { plan, periodEndMs: periodEndMs ?? undefined };
}

/**
 * Returns why the row is not trusted. An email typed by a customer counts only if nobody else could have the account. A
 * row that does not name its subscription changes one that certainly belongs to the account only if the provider's
 * customer id leads to it. At Lemon Squeezy everybody who types the same email has the same customer id: there, a row
 * whose plan or end differs extends a subscription only if its customer is that of the account, and ends it only if
 * there is no other row and no other subscription.
 */
function refusalOf({ reported, known, buyer, certainty, kind }: Decision, account: Account): string | undefined {
  const { provider, customer, email } = reported;
  if (!known) {
    const isBelieved = provider === 'webhook' || buyer.isBound || isTrusted(account, {});
    return isBelieved ? undefined : unconfirmedReason;
  }
  if (certainty === 'named') return undefined;
  const isOwn =
    provider === 'stripe' ||
    (buyer.isBound && buyer.userId === account.id) ||
    (hasEmail(account, email) && isTrusted(account, {}));
  const isOver = certainty === 'only' && kind === 'access_without_payment';
  const isSure = customer ? isOwn || certainty === 'exact' || isOver : known.row.by_typed_email === 1;
  return isSure && certainty !== 'ambiguous' ? undefined : ambiguousReason;
}
