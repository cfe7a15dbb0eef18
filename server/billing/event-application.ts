/** Applies what a billing event says to the account that it is about. */
import type { AccountService } from '../accounts/account.service.ts';
import { parseEmail } from '../accounts/email.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import type { BillingProviderName } from '../database/tables.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import { type EventOutcome, findApplied, findCustomerEmail, saveApplied, saveCustomer } from './billing.repository.ts';
import { decideOrder } from './billing.rules.ts';
import type { BillingEvent, SubscriptionChange } from './billing-event.ts';

export type EventApplicationDeps = {
  readonly accounts: AccountService;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
};

export type AppliedOutcome = Omit<EventOutcome, 'payload'>;

type Work = { readonly provider: BillingProviderName; readonly event: BillingEvent };

export class EventApplication {
  readonly #deps: EventApplicationDeps;

  constructor(deps: EventApplicationDeps) {
    this.#deps = deps;
  }

  /** What became of the event. Its outcome is `kept` where something is missing that may be there later. */
  async apply(transaction: Transaction, work: Work, nowMs: number): Promise<AppliedOutcome> {
    const { provider, event } = work;
    const { content } = event;
    switch (content.kind) {
      case 'unknown':
        return keep(content.reason);
      case 'nothing':
        return { state: 'ignored', reason: null, email: null };
      case 'customer': {
        const { customerId, email } = content;
        await saveCustomer(transaction, { provider, customer_id: customerId, email });
        return { state: 'ignored', reason: null, email };
      }
      case 'subscription':
        return this.#applyChange(transaction, { ...work, change: content.change }, nowMs);
    }
  }

  async #applyChange(
    transaction: Transaction,
    { provider, event, change }: Work & { readonly change: SubscriptionChange },
    nowMs: number,
  ): Promise<AppliedOutcome> {
    const { accounts, plans, subscriptions } = this.#deps;
    const email = await findEmail(transaction, provider, change);
    if (email === undefined) return keep('The email of the customer is not known yet.');
    if (!parseEmail(email)) return keep('The email of the customer is not an email address.', email);
    if (change.plan === undefined) return keep('No plan is set for this price.', email);
    if (!(await plans.find(change.plan, transaction))) return keep(`There is no plan named "${change.plan}".`, email);
    const by: AuditContext = { actor: { kind: 'provider', name: providerNames[provider] } };
    const { id: userId } = await accounts.findOrAdd(transaction, email, by);
    await lockUser(transaction, userId);
    const reference = change.reference ?? null;
    const access = await subscriptions.findAccess(userId, transaction);
    const endMs = change.periodEndMs ?? Number.POSITIVE_INFINITY;
    const decision = decideOrder({
      last: await findApplied(transaction, userId),
      eventAtMs: event.atMs,
      reference,
      givesAccess: givesAccess({ status: change.status, current_period_end_ms: endMs }, nowMs),
      hasAccess: access?.givesAccess ?? false,
    });
    if (decision !== 'apply') return { state: decision, reason: null, email };
    const settings = { ...change, plan: change.plan };
    await subscriptions.apply(transaction, userId, { settings, by, details: { provider, event: event.type } });
    await saveApplied(transaction, { user_id: userId, provider, event_at_ms: event.atMs, reference });
    return { state: 'applied', reason: null, email };
  }
}

/** Also remembers it for events of the same customer that do not say it. */
async function findEmail(
  transaction: Transaction,
  provider: BillingProviderName,
  { email, customerId }: SubscriptionChange,
): Promise<string | undefined> {
  if (customerId === undefined) return email;
  const customer = { provider, customer_id: customerId };
  if (email === undefined) return findCustomerEmail(transaction, customer);
  await saveCustomer(transaction, { ...customer, email });
  return email;
}

function keep(reason: string, email: string | null = null): AppliedOutcome {
  return { state: 'kept', reason, email };
}

/** As the audit log shows them. */
const providerNames: Readonly<Record<BillingProviderName, string>> = {
  webhook: 'billing webhook',
  stripe: 'Stripe',
  lemonsqueezy: 'Lemon Squeezy',
};
