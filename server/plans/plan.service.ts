/** The plans: what each carries, as data that an admin may add to and change. */
import { type FeatureFlag, type Features, featureFlags, seededPlans } from '../../shared/api/features.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database, Executor } from '../database/database.ts';
import type { Flag } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import { newUuid, type Random } from '../random.ts';
import { findPlan, listPlans, type PlanRow, savePlan } from './plan.repository.ts';

/** A plan as an admin sees it. */
export type Plan = {
  readonly id: string;
  readonly name: string;
  readonly max_devices: number;
  readonly features: Features;
  readonly created_at: string;
  readonly updated_at: string;
};

export type PlanChange = {
  readonly maxDevices?: number;
  readonly flags?: Readonly<Partial<Record<FeatureFlag, boolean>>>;
};

export type PlanService = {
  /** Every plan, the smallest first. */
  list(): Promise<Plan[]>;
  find(name: string, executor?: Executor): Promise<Plan | undefined>;
  /** The plan of that name. Throws `ApiError` NOT_FOUND. */
  require(name: string, executor?: Executor): Promise<Plan>;
  /** What the plan carries; that of `free` where there is no such plan. */
  featuresOf(name: string, executor?: Executor): Promise<Features>;
  /**
   * Changes the plan, or adds it: a new one has every flag off and one device but for what is given.
   * Licenses keep the max_activations that they were issued with. Throws `ApiError` VALIDATION_ERROR.
   */
  set(name: string, change: PlanChange): Promise<Plan>;
};

/** The plan of an account that has nothing else (decisions "Plans, subscriptions, licenses"). */
export const freePlan = 'free';

const mostDevices = 1_000_000;

type Parts = { database: Database; clock: Clock; random: Random };

export function createPlanService({ database, clock, random }: Parts): PlanService {
  const find: PlanService['find'] = async (name, executor = database.read) => {
    const row = await findPlan(executor, name);
    return row && toPlan(row);
  };
  return {
    find,
    list: async () => (await listPlans(database.read)).map(toPlan),
    async require(name, executor) {
      const plan = await find(name, executor);
      if (!plan) throw new ApiError('NOT_FOUND', `There is no plan named "${name}".`);
      return plan;
    },
    async featuresOf(name, executor) {
      const plan = (await find(name, executor)) ?? (await find(freePlan, executor));
      return plan?.features ?? seededPlans.free;
    },
    async set(name, change) {
      refuseInvalid(name, change);
      return database.write(async (transaction) => {
        const existing = await findPlan(transaction, name);
        const row = changedRow(existing ?? emptyRow(name, clock.now(), random), change, clock.now());
        await savePlan(transaction, row);
        return toPlan(row);
      });
    },
  };
}

function refuseInvalid(name: string, { maxDevices }: PlanChange): void {
  if (!/^[a-z0-9][a-z0-9_-]{0,49}$/.test(name)) {
    throw new ApiError(
      'VALIDATION_ERROR',
      'The name of a plan is up to 50 lower-case letters, digits, hyphens and underscores.',
    );
  }
  if (maxDevices !== undefined && !(Number.isInteger(maxDevices) && maxDevices >= 0 && maxDevices <= mostDevices)) {
    throw new ApiError('VALIDATION_ERROR', `max_devices is a whole number from 0 to ${mostDevices}.`);
  }
}

function emptyRow(name: string, nowMs: number, random: Random): PlanRow {
  const flags = Object.fromEntries(featureFlags.map((flag) => [flag, 0])) as Record<FeatureFlag, Flag>;
  return { ...flags, id: newUuid(nowMs, random), name, max_devices: 1, created_at_ms: nowMs, updated_at_ms: nowMs };
}

function changedRow(row: PlanRow, { flags = {}, maxDevices }: PlanChange, nowMs: number): PlanRow {
  const changed = { ...row, max_devices: maxDevices ?? row.max_devices, updated_at_ms: nowMs };
  for (const flag of featureFlags) changed[flag] = (flags[flag] ?? row[flag] === 1) ? 1 : 0;
  return changed;
}

function toPlan(row: PlanRow): Plan {
  const flags = Object.fromEntries(featureFlags.map((flag) => [flag, row[flag] === 1])) as Record<FeatureFlag, boolean>;
  return {
    id: row.id,
    name: row.name,
    max_devices: row.max_devices,
    features: { ...flags, max_devices: row.max_devices },
    created_at: toIso(row.created_at_ms),
    updated_at: toIso(row.updated_at_ms),
  };
}
