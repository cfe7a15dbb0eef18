/** The subscription of an account: set by an admin or as a trial, read with the expiry that follows from its period. */
import type { Subscription } from '../../shared/api/subscription.ts';
import { type Clock, toIso, validateDate } from '../clock.ts';
import type { Database, Executor, Transaction } from '../database/database.ts';
import type { SubscriptionStatus } from '../database/tables.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { newUuid, type Random } from '../random.ts';
import { findSubscription, type SubscriptionRow, saveSubscription } from './subscription.repository.ts';
import { givesAccess, readSubscriptionStatus } from './subscription.rules.ts';

/** A subscription as an admin sees it. */
export type SubscriptionRecord = Subscription & {
  readonly id: string;
  readonly user_id: string;
  /** Whether it gives access now. */
  readonly gives_access: boolean;
  readonly created_at: string;
  readonly updated_at: string;
};

export type SubscriptionSetting = {
  readonly plan: string;
  /** Default `active`. */
  readonly status?: SubscriptionStatus;
  /** Milliseconds since 1970, may be past; default 30 days from now. */
  readonly periodEndMs?: number;
  readonly cancelAtPeriodEnd?: boolean;
};

/** What follows from a subscription now. */
export type Standing = { readonly subscription: Subscription; readonly givesAccess: boolean };

export type SubscriptionService = {
  /** `undefined` where the account never had one. */
  get(userId: string): Promise<SubscriptionRecord | undefined>;
  standing(userId: string, executor?: Executor): Promise<Standing | undefined>;
  /** Replaces what the account had. Throws `ApiError` NOT_FOUND for an unknown plan, VALIDATION_ERROR for an absurd date. */
  set(userId: string, setting: SubscriptionSetting): Promise<SubscriptionRecord>;
  /** Gives a new account its trial, within the transaction that creates the account. */
  startTrial(transaction: Transaction, userId: string, trial: { plan: string; days: number }): Promise<void>;
};

const dayMs = 24 * 60 * 60 * 1000;
const defaultPeriodMs = 30 * dayMs;

type Parts = { database: Database; clock: Clock; random: Random; plans: PlanService };

export function createSubscriptionService({ database, clock, random, plans }: Parts): SubscriptionService {
  type Saving = { userId: string; setting: SubscriptionSetting; nowMs: number };
  async function save(transaction: Transaction, { userId, setting, nowMs }: Saving): Promise<SubscriptionRow> {
    await plans.require(setting.plan, transaction);
    return saveSubscription(transaction, newRow(userId, setting, { id: newUuid(nowMs, random), nowMs }));
  }
  return {
    async get(userId) {
      const row = await findSubscription(database.read, userId);
      return row && toRecord(row, clock.now());
    },
    async standing(userId, executor = database.read) {
      const row = await findSubscription(executor, userId);
      if (!row) return undefined;
      const nowMs = clock.now();
      return { subscription: toSubscription(row, nowMs), givesAccess: givesAccess(row, nowMs) };
    },
    async set(userId, setting) {
      const nowMs = clock.now();
      const row = await database.write((transaction) => save(transaction, { userId, setting, nowMs }));
      return toRecord(row, nowMs);
    },
    async startTrial(transaction, userId, { plan, days }) {
      const nowMs = clock.now();
      const setting = { plan, status: 'trialing', periodEndMs: nowMs + days * dayMs } as const;
      await save(transaction, { userId, setting, nowMs });
    },
  };
}

/** The period begins now, or, where it is over already, as long ago as a period takes. */
function newRow(
  userId: string,
  { plan, status = 'active', periodEndMs, cancelAtPeriodEnd = false }: SubscriptionSetting,
  { id, nowMs }: { id: string; nowMs: number },
): SubscriptionRow {
  const endMs = validateDate(periodEndMs ?? nowMs + defaultPeriodMs);
  return {
    id,
    user_id: userId,
    plan,
    status,
    current_period_start_ms: endMs > nowMs ? nowMs : endMs - defaultPeriodMs,
    current_period_end_ms: endMs,
    cancel_at_period_end: cancelAtPeriodEnd ? 1 : 0,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
}

function toSubscription(row: SubscriptionRow, nowMs: number): Subscription {
  return {
    plan: row.plan,
    status: readSubscriptionStatus(row, nowMs),
    current_period_start: toIso(row.current_period_start_ms),
    current_period_end: toIso(row.current_period_end_ms),
    cancel_at_period_end: row.cancel_at_period_end === 1,
  };
}

function toRecord(row: SubscriptionRow, nowMs: number): SubscriptionRecord {
  return {
    id: row.id,
    user_id: row.user_id,
    ...toSubscription(row, nowMs),
    gives_access: givesAccess(row, nowMs),
    created_at: toIso(row.created_at_ms),
    updated_at: toIso(row.updated_at_ms),
  };
}
