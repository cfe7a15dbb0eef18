/** The subscriptions of a user: their own, which staff, a trial or the billing webhook sets, and those at providers; and the access that the best one gives now. */
import type { Subscription } from '../../shared/api/subscription.ts';
import { type AuditAction, type AuditContext, type AuditDetails, byServer } from '../audit/audit-event.ts';
import type { AuditLogService } from '../audit/audit-log.service.ts';
import { dayMs, toIso, validateDate } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Executor, Transaction } from '../database/database.ts';
import type { BillingProviderName, SubscriptionSource, SubscriptionStatus } from '../database/tables.ts';
import { rejectMissingAccount } from '../missing-account.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { newUuid } from '../random.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import * as repository from './subscription.repository.ts';
import { chooseSubscription, givesAccess, sourceOf, toSubscription } from './subscription.rules.ts';

/** A subscription as an admin sees it. */
export type AdminSubscription = Subscription & {
  readonly id: string;
  readonly user_id: string;
  /** Whether it gives access now. */
  readonly gives_access: boolean;
  readonly created_at: string;
  readonly updated_at: string;
};

export type OtherSubscription = AdminSubscription & {
  readonly source: SubscriptionSource;
  /** Whether staff have set another one in its place; it counts again from its next event on. */
  readonly is_replaced: boolean;
};

export type SubscriptionSettings = {
  readonly plan: string;
  /** Default `active`. */
  readonly status?: SubscriptionStatus;
  /** Milliseconds since 1970. Default now, or 30 days before an end that is over already. */
  readonly periodStartMs?: number | undefined;
  /** Milliseconds since 1970, may be in the past. Default 30 days from now. */
  readonly periodEndMs?: number | undefined;
  readonly cancelAtPeriodEnd?: boolean;
};

export type Trial = { readonly plan: string; readonly days: number };

/** A subscription and whether it gives access now. */
export type SubscriptionAccess = { readonly subscription: Subscription; readonly givesAccess: boolean };

const defaultPeriodMs = 30 * dayMs;

export type SubscriptionRow = repository.SubscriptionRow;

export type SubscriptionServiceDeps = CommonDeps & {
  readonly auditLog: AuditLogService;
  readonly outbox: EventOutbox;
  readonly plans: PlanService;
};

type Change = {
  readonly userId: string;
  readonly source: SubscriptionSource;
  /** Default: the id of the user. */
  readonly reference?: string | undefined;
  /** Left out where which events are outdated stays as it is. */
  readonly eventAtMs?: number | undefined;
  /** Whether only the email that its buyer typed says whose it is. */
  readonly byTypedEmail?: boolean;
  readonly settings: SubscriptionSettings;
  readonly nowMs: number;
  readonly by: AuditContext;
  /** Default `subscription.change`. */
  readonly action?: AuditAction;
  /** Further ones. */
  readonly details?: AuditDetails;
};

/** A change that a billing provider says. Its action is `billing.apply` by default, its reference the provider's id. */
export type BillingChange = Omit<Change, 'userId' | 'source' | 'nowMs'> & {
  readonly provider: BillingProviderName;
  readonly byTypedEmail: boolean;
  readonly details: AuditDetails;
};

export class SubscriptionService {
  readonly #deps: SubscriptionServiceDeps;

  constructor(deps: SubscriptionServiceDeps) {
    this.#deps = deps;
  }

  /** The one that counts now; `undefined` if the user never had a subscription. */
  async get(userId: string): Promise<AdminSubscription | undefined> {
    const row = await this.#choose(this.#deps.database.read, userId);
    return row && toAdminSubscription(row, this.#deps.clock.now());
  }

  /** The others, newest first: what staff see beside the one that counts. */
  async listOthers(userId: string): Promise<OtherSubscription[]> {
    const { database, clock } = this.#deps;
    const chosen = await this.#choose(database.read, userId);
    const others = (await repository.listAllSubscriptions(database.read, userId)).filter(({ id }) => id !== chosen?.id);
    return others.map((row) => ({
      ...toAdminSubscription(row, clock.now()),
      source: row.source,
      is_replaced: row.is_replaced === 1,
    }));
  }

  /** The one that counts now; `undefined` if the user never had a subscription. */
  async findAccess(
    userId: string,
    executor: Executor = this.#deps.database.read,
  ): Promise<SubscriptionAccess | undefined> {
    const row = await this.#choose(executor, userId);
    if (!row) return undefined;
    const nowMs = this.#deps.clock.now();
    return { subscription: toSubscription(row, nowMs), givesAccess: givesAccess(row, nowMs) };
  }

  /** Whose subscription it is at a provider, and when the last event that was applied to it happened. */
  findOfProvider(
    transaction: Transaction,
    provider: BillingProviderName,
    reference: string,
  ): Promise<SubscriptionRow | undefined> {
    return repository.findSubscription(transaction, sourceOf(provider), reference);
  }

  /** Those at the provider with these references, whether they count or not. */
  listOfProvider(
    executor: Executor,
    provider: BillingProviderName,
    references: readonly string[],
  ): Promise<SubscriptionRow[]> {
    return repository.listSubscriptionsOfSource(executor, sourceOf(provider), references);
  }

  /** Those that give access now and are no trial of this server, the best one first. */
  async listPaid(transaction: Transaction, userId: string): Promise<SubscriptionRow[]> {
    const nowMs = this.#deps.clock.now();
    const paid = (await repository.listSubscriptions(transaction, userId)).filter(
      (row) => givesAccess(row, nowMs) && !(row.source === 'account' && row.status === 'trialing'),
    );
    const best = chooseSubscription(paid, await this.#deps.plans.loadFeatures(), nowMs);
    return best ? [best, ...paid.filter(({ id }) => id !== best.id)] : [];
  }

  /** The plans of those users that have a subscription, whatever its status, by the user's id. */
  async findPlans(executor: Executor, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const featuresOf = await this.#deps.plans.loadFeatures();
    const nowMs = this.#deps.clock.now();
    const byUser = Map.groupBy(await repository.listSubscriptionsOfAll(executor, userIds), ({ user_id }) => user_id);
    const plans = new Map<string, string>();
    for (const [userId, rows] of byUser) {
      const chosen = chooseSubscription(rows, featuresOf, nowMs);
      if (chosen) plans.set(userId, chosen.plan);
    }
    return plans;
  }

  async #choose(executor: Executor, userId: string): Promise<SubscriptionRow | undefined> {
    const rows = await repository.listSubscriptions(executor, userId);
    if (rows.length < 2) return rows[0];
    return chooseSubscription(rows, await this.#deps.plans.loadFeatures(), this.#deps.clock.now());
  }

  /**
   * Replaces all subscriptions of the user; one at a provider counts again from its next event on. Throws `ApiError`
   * NOT_FOUND for an unknown plan or an account that was deleted meanwhile, VALIDATION_ERROR for a date outside of the years 1901 to 9999.
   */
  async set(userId: string, settings: SubscriptionSettings, by: AuditContext): Promise<AdminSubscription> {
    const saving = this.#deps.database.write((transaction) => this.setWithin(transaction, { userId, settings, by }));
    return saving.catch(rejectMissingAccount);
  }

  /** The same within a write. */
  async setWithin(
    transaction: Transaction,
    { userId, settings, by }: Pick<Change, 'userId' | 'settings' | 'by'>,
  ): Promise<AdminSubscription> {
    const nowMs = this.#deps.clock.now();
    const saved = await this.#save(transaction, { userId, source: 'account', settings, nowMs, by });
    await repository.replaceOthers(transaction, saved);
    return toAdminSubscription(saved, nowMs);
  }

  /** Sets the subscription that the user has at a billing provider, beside any others; the webhook sets that of the account. Throws as `set`. */
  async apply(transaction: Transaction, userId: string, change: BillingChange): Promise<void> {
    const { provider, action = 'billing.apply', ...said } = change;
    const source = sourceOf(provider);
    await this.#save(transaction, { ...said, source, userId, nowMs: this.#deps.clock.now(), action });
  }

  /** Those of the account that count, in no order. */
  listInUse(executor: Executor, userId: string): Promise<SubscriptionRow[]> {
    return repository.listSubscriptions(executor, userId);
  }

  /** All that these accounts have or had, in no order. */
  listOfAll(executor: Executor, userIds: readonly string[]): Promise<SubscriptionRow[]> {
    return repository.listEverySubscriptionOf(executor, userIds);
  }

  /** The provider's id of a subscription becomes known, of which another text stood in its place. */
  async setReference(transaction: Transaction, { id }: SubscriptionRow, reference: string): Promise<void> {
    await repository.setReference(transaction, id, reference);
  }

  /** From now on this one, of the account itself, does not count. */
  async replace(transaction: Transaction, { id, user_id }: SubscriptionRow): Promise<void> {
    await repository.markReplaced(transaction, id);
    await repository.startNoticesOver(transaction, user_id);
  }

  /** Starts the trial of a new account, within the transaction that creates the account. */
  async startTrial(transaction: Transaction, userId: string, { plan, days }: Trial): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const settings = { plan, status: 'trialing', periodEndMs: nowMs + days * dayMs } as const;
    await this.#save(transaction, { userId, source: 'account', settings, nowMs, by: byServer });
  }

  async #save(transaction: Transaction, change: Change): Promise<SubscriptionRow> {
    const {
      userId,
      source,
      reference = userId,
      eventAtMs,
      byTypedEmail = false,
      settings,
      nowMs,
      by,
      action = 'subscription.change',
    } = change;
    const { plans, random, auditLog, outbox } = this.#deps;
    await plans.require(settings.plan, transaction);
    const { plan, status = 'active', periodStartMs, periodEndMs, cancelAtPeriodEnd = false } = settings;
    const endMs = validateDate(periodEndMs ?? nowMs + defaultPeriodMs);
    // A period that is over already is recorded with the usual length.
    const startMs = periodStartMs ?? (endMs > nowMs ? nowMs : endMs - defaultPeriodMs);
    const row = await repository.saveSubscription(transaction, {
      id: newUuid(nowMs, random),
      user_id: userId,
      source,
      reference,
      event_at_ms: eventAtMs ?? null,
      is_replaced: 0,
      by_typed_email: byTypedEmail ? 1 : 0,
      plan,
      status,
      current_period_start_ms: validateDate(startMs),
      current_period_end_ms: endMs,
      cancel_at_period_end: cancelAtPeriodEnd ? 1 : 0,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      noticed_lead_ms: null,
    });
    await repository.startNoticesOver(transaction, userId);
    await auditLog.record(transaction, {
      ...by,
      action,
      target: { kind: 'subscription', id: row.id, label: { emailOf: userId } },
      details: { plan, status, period_end: toIso(endMs), cancel_at_period_end: cancelAtPeriodEnd, ...change.details },
    });
    const data = { subscription_id: row.id, ...toSubscription(row, nowMs) };
    await outbox.add(transaction, { type: 'subscription.changed', userId, data });
    return row;
  }
}

function toAdminSubscription(row: SubscriptionRow, nowMs: number): AdminSubscription {
  return {
    id: row.id,
    user_id: row.user_id,
    ...toSubscription(row, nowMs),
    gives_access: givesAccess(row, nowMs),
    created_at: toIso(row.created_at_ms),
    updated_at: toIso(row.updated_at_ms),
  };
}
