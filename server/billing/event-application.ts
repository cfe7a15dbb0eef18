/** Applies what a billing event says to the account that it is about. */

import { parseEmail } from '../../shared/formats/email.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { Account } from '../accounts/account.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import type { BillingProviderName } from '../database/tables.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionAccess, SubscriptionService } from '../subscriptions/subscription.service.ts';
import { signatureToleranceMs } from '../webhook-signature.ts';
import { type EventOutcome, findApplied, findCustomer, saveApplied, saveCustomer } from './billing.repository.ts';
import { decideOrder } from './billing.rules.ts';
import type { BillingEvent, SubscriptionChange } from './billing-event.ts';

export type EventApplicationDeps = {
  readonly accounts: AccountService;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
};

export type AppliedOutcome = Omit<EventOutcome, 'payload'>;

type Work = { readonly provider: BillingProviderName; readonly event: BillingEvent; readonly nowMs: number };
type ChangeWork = Work & { readonly change: SubscriptionChange };

/** Whose subscription it is: an account, or an email for which there will be one. */
type Subject = { readonly email: string; readonly account: Account | undefined };

export class EventApplication {
  readonly #deps: EventApplicationDeps;

  constructor(deps: EventApplicationDeps) {
    this.#deps = deps;
  }

  /** What became of the event. Its outcome is `kept` where something is missing that may be there later. */
  async apply(transaction: Transaction, work: Work): Promise<AppliedOutcome> {
    const { provider, event } = work;
    const { content } = event;
    switch (content.kind) {
      case 'unknown':
        return keep(content.reason, content.email);
      case 'nothing':
        return { state: 'ignored', reason: null, email: null };
      case 'customer': {
        const { customerId, email } = content;
        await saveCustomer(transaction, { provider, customer_id: customerId, email });
        return { state: 'ignored', reason: null, email };
      }
      case 'subscription':
        return this.#applyChange(transaction, { ...work, change: content.change });
    }
  }

  async #applyChange(transaction: Transaction, work: ChangeWork): Promise<AppliedOutcome> {
    const { accounts, plans, subscriptions } = this.#deps;
    const { provider, event, change, nowMs } = work;
    // Applied, it would make every event of the time until then outdated.
    if (event.atMs > nowMs + signatureToleranceMs) {
      const reason = 'The event is dated more than 5 minutes ahead of the clock of the server.';
      return keep(reason, change.accountEmail ?? change.email);
    }
    const subject = await this.#findSubject(transaction, work);
    if (!subject) return keep('The email of the customer is not known yet.');
    const { email } = subject;
    if (!parseEmail(email)) return keep('The email of the customer is not an email address.', email);
    const isAccess = isAccessGiven(change, nowMs);
    // What ends a subscription ends it, also where its plan is not named.
    const current = subject.account && (await subscriptions.findAccess(subject.account.id, transaction));
    const plan = change.plan ?? (isAccess ? undefined : current?.subscription.plan);
    if (plan === undefined) return keep('No plan is set for this price.', email);
    if (!(await plans.find(plan, transaction))) return keep(`There is no plan named "${plan}".`, email);

    const by: AuditContext = { actor: { kind: 'provider', name: providerNames[provider] } };
    const { id: userId } = subject.account ?? (await accounts.findOrAdd(transaction, email, by));
    await lockUser(transaction, userId);
    const decision = await this.#decide(transaction, userId, { ...work, isAccess });
    if (decision !== 'apply') return { state: decision, reason: null, email };
    const settings = { ...change, plan };
    await subscriptions.apply(transaction, userId, { settings, by, details: { provider, event: event.type } });
    const reference = change.reference ?? null;
    await saveApplied(transaction, { user_id: userId, provider, event_at_ms: event.atMs, reference });
    const { customerId } = change;
    if (customerId !== undefined)
      await saveCustomer(transaction, { provider, customer_id: customerId, user_id: userId });
    return { state: 'applied', reason: null, email };
  }

  async #decide(transaction: Transaction, userId: string, work: ChangeWork & { readonly isAccess: boolean }) {
    const access: SubscriptionAccess | undefined = await this.#deps.subscriptions.findAccess(userId, transaction);
    return decideOrder({
      last: await findApplied(transaction, userId),
      eventAtMs: work.event.atMs,
      reference: work.change.reference ?? null,
      givesAccess: work.isAccess,
      hasAccess: access?.givesAccess ?? false,
    });
  }

  /**
   * The account with the email of the event. A customer who has changed it since keeps the account that earlier events were
   * applied to, unless the sender names another one or there is one with the new email.
   */
  async #findSubject(transaction: Transaction, { provider, change }: ChangeWork): Promise<Subject | undefined> {
    const { accounts } = this.#deps;
    const { accountEmail, customerId } = change;
    const key = customerId === undefined ? undefined : { provider, customer_id: customerId };
    const customer = key && (await findCustomer(transaction, key));
    if (key && change.email !== undefined) await saveCustomer(transaction, { ...key, email: change.email });
    const email = accountEmail ?? change.email ?? customer?.email ?? undefined;
    const account = email === undefined ? undefined : await accounts.findByEmail(email, transaction);
    if (account && email !== undefined) return { email, account };
    const known = accountEmail === undefined && customer?.user_id ? customer.user_id : undefined;
    const earlier = known === undefined ? undefined : await accounts.findById(known, transaction);
    if (earlier) return { email: earlier.email, account: earlier };
    return email === undefined ? undefined : { email, account: undefined };
  }
}

function isAccessGiven({ status, periodEndMs }: SubscriptionChange, nowMs: number): boolean {
  return givesAccess({ status, current_period_end_ms: periodEndMs ?? Number.POSITIVE_INFINITY }, nowMs);
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
