/** Applies what a billing event says to the account that it is about. */
import { parseEmail } from '../../shared/formats/email.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { Account } from '../accounts/account.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import { dayMs } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import type { BillingProviderName } from '../database/tables.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionRow, SubscriptionService } from '../subscriptions/subscription.service.ts';
import { signatureToleranceMs } from '../webhook-signature.ts';
import { hasEmail, isCustomer, isTrusted } from './account-trust.rules.ts';
import { bindCustomer, type EventOutcome, findCustomer, saveCustomerEmail } from './billing.repository.ts';
import { isOutdated, readStatus } from './billing.rules.ts';
import type { BillingContent, SubscriptionChange } from './billing-event.ts';
import type { CheckoutTokenService } from './checkout-token.service.ts';
import type { PaidLicenses } from './paid-licenses.ts';
import { findProviderSubscription, savePaymentLinks, saveProviderSubscription } from './payment.repository.ts';
import { type EventContext, PaymentHandler, unknownPaymentReason } from './payment-handler.ts';
import { findProvisional, setProviderReference } from './provisional-subscription.ts';

export type BillingEventHandlerDeps = {
  readonly accounts: AccountService;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
  readonly checkoutTokens: Pick<CheckoutTokenService, 'read'>;
  readonly paidLicenses: PaidLicenses;
};

type AppliedOutcome = Omit<EventOutcome, 'payload'>;

type Work = EventContext & {
  /** True if staff confirm that the email typed by the customer is that of the buyer's account. */
  readonly confirmsEmail: boolean;
};
type ChangeWork = Work & { readonly change: SubscriptionChange };

/** The owner of a subscription: an account, or an email for which an account will be created. */
type Owner = {
  readonly email: string;
  readonly account: Account | undefined;
  /** True if the customer is to be bound to the account, unless it is already bound to one. */
  readonly bindsCustomer: boolean;
  /**
   * True if only the email typed by the buyer, or a customer known only by it, links the subscription to the account.
   */
  readonly byTypedEmail: boolean;
};

export class BillingEventHandler {
  readonly #deps: BillingEventHandlerDeps;
  readonly payments: PaymentHandler;

  constructor(deps: BillingEventHandlerDeps) {
    this.#deps = deps;
    this.payments = new PaymentHandler(deps);
  }

  /** Applies the event and returns its outcome: a dead letter if something is missing that may arrive later. */
  async apply(transaction: Transaction, work: Work): Promise<AppliedOutcome> {
    const { provider, event } = work;
    const { content } = event;
    switch (content.kind) {
      case 'unknown':
        return toDeadLetter(content.reason, content.email);
      case 'nothing':
        return { state: 'ignored', reason: null, email: null };
      case 'customer': {
        const { customerId, email, links = [] } = content;
        await saveCustomerEmail(transaction, { provider, customer_id: customerId, email, email_at_ms: event.atMs });
        await savePaymentLinks(transaction, links, work);
        return { state: 'ignored', reason: null, email };
      }
      case 'payment':
        return this.#applyPayment(transaction, work, content);
      case 'refund':
        return this.#applyRefund(transaction, work, content);
      case 'subscription':
        return this.#applyChange(transaction, { ...work, change: content.change });
    }
  }

  async #applyPayment(
    transaction: Transaction,
    work: Work,
    { links, paid }: Extract<BillingContent, { kind: 'payment' }>,
  ): Promise<AppliedOutcome> {
    await savePaymentLinks(transaction, links, work);
    if (paid && isAhead(paid.atMs, work)) return toDeadLetter(aheadReason);
    if (paid) await this.payments.pay(transaction, paid, work);
    return { state: paid ? 'applied' : 'ignored', reason: null, email: null };
  }

  async #applyRefund(
    transaction: Transaction,
    work: Work,
    { links, refund }: Extract<BillingContent, { kind: 'refund' }>,
  ): Promise<AppliedOutcome> {
    await savePaymentLinks(transaction, links, work);
    // If applied now, it would also take back what is paid until that date.
    if (isAhead(work.event.atMs, work)) return toDeadLetter(aheadReason, refund.email);
    const userIds = await this.payments.refund(transaction, refund, work);
    if (!userIds) return toDeadLetter(unknownPaymentReason, refund.email);
    const [userId] = userIds;
    const account = userId === undefined ? undefined : await this.#deps.accounts.findById(userId, transaction);
    return { state: 'applied', reason: null, email: account?.email ?? refund.email ?? null };
  }

  async #applyChange(transaction: Transaction, work: ChangeWork): Promise<AppliedOutcome> {
    const { accounts, plans, subscriptions, checkoutTokens, paidLicenses } = this.#deps;
    const { provider, event, change, nowMs, by } = work;
    // If applied now, it would make every event until that date outdated.
    if (isAhead(event.atMs, work)) return toDeadLetter(aheadReason, change.accountEmail ?? change.email);
    const { reference, customerId, checkoutToken } = change;
    const ofToken = checkoutToken === undefined ? undefined : await checkoutTokens.read(checkoutToken, event.atMs);
    const known = await this.#findKnown(transaction, work, ofToken);
    const owner = await this.#findOwner(transaction, { ...work, ofToken }, known);
    if ('reason' in owner) return toDeadLetter(owner.reason, owner.email);
    const { email } = owner;
    // An event that ends a subscription applies even if it names no plan.
    const plan = change.plan ?? (isAccessGiven(change, nowMs) ? undefined : known?.plan);
    if (plan === undefined) return toDeadLetter('No plan is set for this price.', email);
    if (!(await plans.find(plan, transaction))) return toDeadLetter(`There is no plan named "${plan}".`, email);

    const before =
      reference === undefined ? undefined : await findProviderSubscription(transaction, { provider, reference });
    if (isOutdated(event.atMs, before?.last_event_at_ms)) return recordOutdated(transaction, work, email);
    const account = owner.account ?? (await accounts.findOrAdd(transaction, email, by));
    // Somebody may have signed up with this email since.
    if (!owner.account && !isTrusted(account, change)) return toDeadLetter(unconfirmedReason, parseEmail(email)?.key);
    const userId = account.id;
    await paidLicenses.lockAccount(transaction, userId);
    const last = await subscriptions.findOfProvider(transaction, provider, reference ?? userId);
    // If the last event is repeated after its record may have been deleted, it must not undo what staff have set since.
    const mayBeRepeated = last?.is_replaced === 1 && last.event_at_ms === event.atMs && event.atMs < nowMs - minKeptMs;
    if (mayBeRepeated || isOutdated(event.atMs, last?.event_at_ms)) return recordOutdated(transaction, work, email);
    // What a refund, which may have arrived earlier, is compared with.
    const atProvider =
      reference === undefined
        ? undefined
        : await saveProviderSubscription(transaction, {
            provider,
            reference,
            customer_id: customerId,
            order_id: change.orderId,
            status: change.status,
            last_event_at_ms: event.atMs,
            period_start_ms: change.periodStartMs ?? null,
          });
    const status = atProvider ? readStatus(atProvider, change.status, nowMs) : change.status;
    const row = await subscriptions.apply(transaction, userId, {
      provider,
      reference,
      eventAtMs: event.atMs,
      byTypedEmail: owner.byTypedEmail,
      settings: { ...change, plan, status },
      by,
      details: { provider, event: event.type },
    });
    if (customerId !== undefined && owner.bindsCustomer) {
      await bindCustomer(transaction, { provider, customer_id: customerId, user_id: userId });
    }
    await paidLicenses.follow(transaction, row, by);
    return { state: 'applied', reason: null, email };
  }

  /**
   * Returns the subscription, or the one that `billing reconcile` created from the same list entry before any event
   * named it.
   */
  async #findKnown(
    transaction: Transaction,
    { provider, change }: ChangeWork,
    tokenUserId: string | undefined,
  ): Promise<SubscriptionRow | undefined> {
    const { subscriptions, paidLicenses } = this.#deps;
    const { reference } = change;
    if (reference === undefined) return undefined;
    const known = await subscriptions.findOfProvider(transaction, provider, reference);
    if (known) return known;
    const row = await findProvisional(transaction, this.#deps, { provider, change, tokenUserId });
    if (!row) return undefined;
    await paidLicenses.lockAccount(transaction, row.user_id);
    await setProviderReference(transaction, subscriptions, { provider, row, reference });
    return row;
  }

  /**
   * Finds the owner of the subscription. It stays with the account that its first event was applied to. Otherwise the
   * account is the one named by the checkout token, else the one that the customer is bound to, else the one with the
   * email stated by the operator's own system. An email typed by a customer counts only for an account that has
   * confirmed it, or that nobody can sign in to yet.
   */
  async #findOwner(
    transaction: Transaction,
    { provider, event, change, confirmsEmail, ofToken }: ChangeWork & { readonly ofToken: string | undefined },
    known: SubscriptionRow | undefined,
  ): Promise<Owner | { readonly reason: string; readonly email?: string }> {
    const { accounts } = this.#deps;
    const { accountEmail, customerId } = change;
    const key = customerId === undefined ? undefined : { provider, customer_id: customerId };
    const customer = key && (await findCustomer(transaction, key));
    if (key && change.email !== undefined) {
      await saveCustomerEmail(transaction, { ...key, email: change.email, email_at_ms: event.atMs });
    }
    const typedEmail = change.email ?? customer?.email ?? undefined;
    const sureEmail = accountEmail ?? (confirmsEmail ? typedEmail : undefined);
    for (const id of [known?.user_id, ofToken, customer?.user_id]) {
      const account = id ? await accounts.findById(id, transaction) : undefined;
      if (!account) continue;
      const isKnown = known?.by_typed_email === 0 && id === known.user_id;
      const isSure = isKnown || id === ofToken || hasEmail(account, sureEmail);
      return {
        email: account.email,
        account,
        bindsCustomer: isCustomer(account, typedEmail),
        byTypedEmail: !isSure,
      };
    }
    const email = accountEmail ?? typedEmail;
    if (email === undefined) return { reason: unknownEmailReason };
    const parsed = parseEmail(email);
    if (!parsed) return { reason: 'The email of the customer is not an email address.', email };
    const account = await accounts.findByEmail(email, transaction);
    return account && !isTrusted(account, change)
      ? { reason: unconfirmedReason, email: parsed.key }
      : { email, account, bindsCustomer: true, byTypedEmail: sureEmail === undefined };
  }
}

/** Records what an outdated event may be the first to say, and which never changes: the order and the customer. */
async function recordOutdated(
  transaction: Transaction,
  { provider, change: { reference = '', orderId, customerId } }: ChangeWork,
  email: string,
): Promise<AppliedOutcome> {
  const known = await findProviderSubscription(transaction, { provider, reference });
  if (known) {
    await saveProviderSubscription(transaction, {
      provider,
      reference,
      order_id: known.order_id ?? orderId,
      customer_id: known.customer_id ?? customerId,
    });
  }
  return { state: 'outdated', reason: null, email };
}

function isAhead(atMs: number, { nowMs }: Work): boolean {
  return atMs > nowMs + signatureToleranceMs;
}

/** Minimum time for which event records are kept, even if `LATCHKEY_RETENTION` is shorter. */
const minKeptMs = 7 * dayMs;

const aheadReason = 'The event is dated more than 5 minutes ahead of the clock of the server.';

/** Why an event waits until its customer is known. */
export const unknownEmailReason = 'The email of the customer is not known yet.';

/** Why an event waits until its account has confirmed its email. */
export const unconfirmedReason =
  'The account with this email has not confirmed it: it is applied once it has, or by "billing retry" with --confirm-email.';

function isAccessGiven({ status, periodEndMs }: SubscriptionChange, nowMs: number): boolean {
  return givesAccess({ status, current_period_end_ms: periodEndMs ?? Number.POSITIVE_INFINITY }, nowMs);
}

function toDeadLetter(reason: string, email: string | null = null): AppliedOutcome {
  return { state: 'dead_letter', reason, email };
}

/** Returns the audit context of an event that this provider has sent. */
export function byProvider(provider: BillingProviderName): AuditContext {
  return { actor: { kind: 'provider', name: providerNames[provider] } };
}

/** The names that the audit log shows. */
const providerNames: Readonly<Record<BillingProviderName, string>> = {
  webhook: 'billing webhook',
  stripe: 'Stripe',
  lemonsqueezy: 'Lemon Squeezy',
};
