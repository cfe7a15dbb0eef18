/**
 * The subscriptions of a user: the account's own, set by staff, as a trial or by the billing webhook, and those at
 * providers. Also determines which access the best one gives now.
 */
import type { OtherSubscription, SubscriptionRecord } from '../../shared/api/admin/accounts.ts';
import type { Subscription } from '../../shared/api/subscription.ts';
import { type AuditAction, type AuditContext, type AuditDetails, byServer } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { dayMs, toIso, validateDate } from '../clock.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { rejectMissingAccount } from '../database/database-errors.ts';
import { lockUser } from '../database/row-locks.ts';
import type { BillingProviderName, SubscriptionSource, SubscriptionStatus } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { newUuid } from '../random.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import * as repository from './subscription.repository.ts';
import { chooseSubscription, givesAccess, sourceOf, toSubscription } from './subscription.rules.ts';

/** A subscription as an admin sees it. */
type AdminSubscription = SubscriptionRecord & { readonly user_id: string };

export type SubscriptionSettings = {
  readonly plan: string;
  /** Default `active`. */
  readonly status?: SubscriptionStatus;
  /** Milliseconds since 1970. Default: now, or 30 days before the end if that has passed. */
  readonly periodStartMs?: number | undefined;
  /** Milliseconds since 1970, may be in the past. Default: 30 days from now. */
  readonly periodEndMs?: number | undefined;
  readonly cancelAtPeriodEnd?: boolean;
};

type Replaced = {
  /** `updated_at` of the subscription that is to be replaced; null for none. By default any. */
  readonly expectedUpdatedAt?: string | null | undefined;
};

type Trial = { readonly plan: string; readonly days: number };

/** A subscription and whether it gives access now. */
type SubscriptionAccess = { readonly subscription: Subscription; readonly givesAccess: boolean };

const defaultPeriodMs = 30 * dayMs;

export type SubscriptionRow = repository.SubscriptionRow;

type SubscriptionServiceDeps = AuditedDeps & {
  readonly outbox: EventOutbox;
  readonly plans: PlanService;
};

type Change = {
  readonly userId: string;
  readonly source: SubscriptionSource;
  /** Default: the id of the user. */
  readonly reference?: string | undefined;
  /** Time of the event. Without it, the stored time of the last event is kept. */
  readonly eventAtMs?: number | undefined;
  /** True if the subscription is linked to the account only by the email that its buyer typed. */
  readonly byTypedEmail?: boolean;
  readonly settings: SubscriptionSettings;
  readonly nowMs: number;
  readonly by: AuditContext;
  /** Default `subscription.change`. */
  readonly action?: AuditAction;
  /** Additional audit details. */
  readonly details?: AuditDetails;
};

/** A change by a billing provider. Its default action is `billing.apply`, its reference the provider's id. */
type BillingChange = Omit<Change, 'userId' | 'source' | 'nowMs'> & {
  readonly provider: BillingProviderName;
  readonly byTypedEmail: boolean;
  readonly details: AuditDetails;
};

export class SubscriptionService {
  readonly #deps: SubscriptionServiceDeps;

  constructor(deps: SubscriptionServiceDeps) {
    this.#deps = deps;
  }

  /** Returns the subscription that counts now; `undefined` if the user never had one. */
  async get(userId: string): Promise<AdminSubscription | undefined> {
    const row = await this.#choose(this.#deps.database.read, userId);
    return row && toAdminSubscription(row, this.#deps.clock.now());
  }

  /** Returns the other subscriptions, newest first, which staff see beside the one that counts. */
  async listOthers(userId: string): Promise<OtherSubscription[]> {
    const { database, clock } = this.#deps;
    const chosen = await this.#choose(database.read, userId);
    const others = (await repository.listAllSubscriptions(database.read, [userId])).filter(
      ({ id }) => id !== chosen?.id,
    );
    return others.map((row) => ({
      ...toAdminSubscription(row, clock.now()),
      source: row.source,
      is_replaced: row.is_replaced === 1,
    }));
  }

  /** Returns the subscription that counts now; `undefined` if the user never had one. */
  async findAccess(
    userId: string,
    executor: Executor = this.#deps.database.read,
  ): Promise<SubscriptionAccess | undefined> {
    const row = await this.#choose(executor, userId);
    if (!row) return undefined;
    const nowMs = this.#deps.clock.now();
    return { subscription: toSubscription(row, nowMs), givesAccess: givesAccess(row, nowMs) };
  }

  /** Finds a provider's subscription, with its account and the time of the last event applied to it. */
  findOfProvider(
    transaction: Transaction,
    provider: BillingProviderName,
    reference: string,
  ): Promise<SubscriptionRow | undefined> {
    return repository.findSubscription(transaction, sourceOf(provider), reference);
  }

  /** Returns the subscriptions at any provider with these references, whether replaced or not. */
  listOfProviders(executor: Executor, references: readonly string[]): Promise<SubscriptionRow[]> {
    return repository.listSubscriptionsOfProviders(executor, references);
  }

  /** Returns the subscriptions that give access now and are not a trial of this server, the best one first. */
  async listPaid(transaction: Transaction, userId: string): Promise<SubscriptionRow[]> {
    const nowMs = this.#deps.clock.now();
    const paid = (await repository.listSubscriptions(transaction, [userId])).filter(
      (row) => givesAccess(row, nowMs) && !(row.source === 'account' && row.status === 'trialing'),
    );
    const best = chooseSubscription(paid, await this.#deps.plans.loadFeatures(), nowMs);
    return best ? [best, ...paid.filter(({ id }) => id !== best.id)] : [];
  }

  /** Returns the plans, by user id, of the users that have a subscription, whatever its status. */
  async findPlans(executor: Executor, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const featuresOf = await this.#deps.plans.loadFeatures();
    const nowMs = this.#deps.clock.now();
    const byUser = Map.groupBy(await repository.listSubscriptions(executor, userIds), ({ user_id }) => user_id);
    const plans = new Map<string, string>();
    for (const [userId, rows] of byUser) {
      const chosen = chooseSubscription(rows, featuresOf, nowMs);
      if (chosen) plans.set(userId, chosen.plan);
    }
    return plans;
  }

  async #choose(executor: Executor, userId: string): Promise<SubscriptionRow | undefined> {
    const rows = await repository.listSubscriptions(executor, [userId]);
    if (rows.length < 2) return rows[0];
    return chooseSubscription(rows, await this.#deps.plans.loadFeatures(), this.#deps.clock.now());
  }

  /**
   * Replaces all subscriptions of the user; one at a provider counts again from its next event on. Throws `ApiError`
   * NOT_FOUND for an unknown plan or an account that was deleted in the meantime, VALIDATION_ERROR for a date outside
   * the years 1901 to 9999, CONFLICT if another subscription than the expected one is in effect.
   */
  async set(
    userId: string,
    settings: SubscriptionSettings,
    by: AuditContext,
    { expectedUpdatedAt }: Replaced = {},
  ): Promise<AdminSubscription> {
    const saving = this.#deps.database.write(async (transaction) => {
      await lockUser(transaction, userId);
      if (expectedUpdatedAt !== undefined) await this.#expect(transaction, userId, expectedUpdatedAt);
      return this.setWithin(transaction, { userId, settings, by });
    });
    return saving.catch(rejectMissingAccount);
  }

  async #expect(transaction: Transaction, userId: string, updatedAt: string | null): Promise<void> {
    const row = await this.#choose(transaction, userId);
    const expectedMs = updatedAt === null ? undefined : Date.parse(updatedAt);
    if (row?.updated_at_ms !== expectedMs)
      throw new ApiError('CONFLICT', 'The subscription has been changed in the meantime.');
  }

  /** Like `set`, within a write that has locked the account. */
  async setWithin(
    transaction: Transaction,
    { userId, settings, by }: Pick<Change, 'userId' | 'settings' | 'by'>,
  ): Promise<AdminSubscription> {
    const nowMs = this.#deps.clock.now();
    const saved = await this.#save(transaction, { userId, source: 'account', settings, nowMs, by });
    await repository.replaceOthers(transaction, saved);
    return toAdminSubscription(saved, nowMs);
  }

  /**
   * Sets the user's subscription at a billing provider, beside any others; the webhook sets the account's own. Returns
   * it. Throws like `set`.
   */
  apply(transaction: Transaction, userId: string, change: BillingChange): Promise<SubscriptionRow> {
    const { provider, action = 'billing.apply', ...rest } = change;
    const source = sourceOf(provider);
    return this.#save(transaction, { ...rest, source, userId, nowMs: this.#deps.clock.now(), action });
  }

  /** Returns the account's subscriptions that have not been replaced, in no particular order. */
  listInUse(executor: Executor, userId: string): Promise<SubscriptionRow[]> {
    return repository.listSubscriptions(executor, [userId]);
  }

  /** Returns all subscriptions that these accounts have or had, newest first. */
  listOfAll(executor: Executor, userIds: readonly string[]): Promise<SubscriptionRow[]> {
    return repository.listAllSubscriptions(executor, userIds);
  }

  /** Sets the provider's id of a subscription once it is known, in place of a provisional reference. */
  async setReference(transaction: Transaction, { id }: SubscriptionRow, reference: string): Promise<void> {
    await repository.setReference(transaction, id, reference);
  }

  /** Marks this subscription of the account as replaced: it no longer counts. */
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
    // A period that has already ended is recorded with the usual length.
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
