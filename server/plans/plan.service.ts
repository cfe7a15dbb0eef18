/** The plans: which features and how many devices each gives, as data that an admin may change and add to. */
import type { z } from 'zod';
import type { PlanRecord, setPlanRequest } from '../../shared/api/admin/plans.ts';
import type { Features } from '../../shared/api/features.ts';
import { isOn } from '../../shared/formats/feature-fields.ts';
import { isPlanName, maxLeaseDays } from '../../shared/formats/plan-fields.ts';
import type { AuditContext, AuditDetails } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso } from '../clock.ts';
import type { Executor } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import { newUuid, type Random } from '../random.ts';
import type { EventOutbox, WebhookEvent } from '../webhooks/event-outbox.ts';
import { listFeatures } from './feature.repository.ts';
import { findPlan, listPlans, type PlanRow, savePlan, switchFeatures } from './plan.repository.ts';

export type Plan = PlanRecord;

/** What is not given stays as it is, including each feature that is not named. */
export type PlanChange = Readonly<Omit<z.input<typeof setPlanRequest>, 'dry_run'>>;

/** Plan of a user who has no other. */
export const freePlan = 'free';

const defaultNewDevicesPerMonth = 10;

type PlanServiceDeps = AuditedDeps & {
  readonly outbox: EventOutbox;
};

/** Returns the features of a plan; those of `free` if there is no such plan. */
export type FeaturesOf = (plan: string) => Features;

/** Plans by name. */
export type Plans = ReadonlyMap<string, Plan>;

export class PlanService {
  readonly #deps: PlanServiceDeps;
  /** All plans by name, until one is changed. */
  #cached: Plans | undefined;

  constructor(deps: PlanServiceDeps) {
    this.#deps = deps;
    deps.database.cacheInvalidation.onChange((change) => {
      if (change === 'everything') this.#cached = undefined;
    });
  }

  /** Returns all plans, the one with the fewest devices first. */
  async list(): Promise<Plan[]> {
    return (await listPlans(this.#deps.database.read)).map(toPlan);
  }

  /** Finds a plan. Reads within the transaction if one is passed. */
  async find(name: string, executor?: Executor): Promise<Plan | undefined> {
    if (!executor) return (await this.loadAll()).get(name);
    const row = await findPlan(executor, name);
    return row && toPlan(row);
  }

  /** Returns all plans by name, cached. */
  async loadAll(): Promise<Plans> {
    const { cacheInvalidation, read } = this.#deps.database;
    if (cacheInvalidation.catchUp() && this.#cached) return this.#cached;
    const cache = (plans: Plans) => {
      this.#cached = plans;
    };
    return cacheInvalidation.load(() => this.readAll(read), cache);
  }

  /** Reads all plans by name, past the cache. */
  async readAll(executor: Executor): Promise<Plans> {
    return byName(await listPlans(executor));
  }

  /** Returns a lookup of the features of all plans. Reads within the transaction if one is passed. */
  async loadFeatures(executor?: Executor): Promise<FeaturesOf> {
    return featuresAmong(await (executor ? this.readAll(executor) : this.loadAll()));
  }

  /** Returns the plan. Throws `ApiError` NOT_FOUND if there is no such plan. */
  async require(name: string, executor?: Executor): Promise<Plan> {
    const plan = await this.find(name, executor);
    if (!plan) throw new ApiError('NOT_FOUND', `There is no plan named "${name}".`);
    return plan;
  }

  /**
   * Changes a plan, or adds it: a new one has one device and no features except those given. Issued licenses keep their
   * max_activations. Throws `ApiError` VALIDATION_ERROR.
   */
  async set(name: string, change: PlanChange, by: AuditContext): Promise<Plan> {
    const { database, auditLog, outbox } = this.#deps;
    validate(name, change);
    return database.write(async (transaction) => {
      await lockByName(transaction, 'plans');
      requireKnown(change, await listFeatures(transaction));
      const existing = await findPlan(transaction, name);
      const row = this.#decideRow(existing, { name, change });
      await savePlan(transaction, row);
      await switchFeatures(transaction, name, change.features ?? {});
      const plan = await this.require(name, transaction);
      await auditLog.record(transaction, {
        ...by,
        action: 'plan.set',
        target: { kind: 'plan', id: row.id, label: name },
        details: { added: existing === undefined, ...describeChange(change) },
      });
      await outbox.add(transaction, planChanged(plan, existing === undefined));
      return plan;
    });
  }

  /**
   * Returns all plans by name, as they are and as they would be after `set`. Throws like `set`, but changes nothing.
   */
  async previewSet(name: string, change: PlanChange): Promise<{ readonly before: Plans; readonly after: Plans }> {
    const { read } = this.#deps.database;
    validate(name, change);
    const known = await listFeatures(read);
    requireKnown(change, known);
    const rows = await listPlans(read);
    const existing = rows.find((row) => row.name === name);
    const row = this.#decideRow(existing, { name, change });
    const given: Readonly<Record<string, unknown>> = { ...(existing && toPlan(existing).features), ...change.features };
    const switches = known.map((feature) => `${feature.name}=${isOn(given, feature.name) ? 1 : 0}`).join(' ');
    const before = byName(rows);
    return { before, after: new Map(before).set(name, toPlan({ ...row, switches })) };
  }

  #decideRow(existing: PlanRow | undefined, { name, change }: { name: string; change: PlanChange }): Tables['plans'] {
    const { clock, random } = this.#deps;
    return changedRow(existing ?? newRow(name, clock.now(), random), change, clock.now());
  }
}

/** Creates the event for a new or changed plan. */
export function planChanged(plan: Plan, added: boolean): WebhookEvent {
  const { id, name, new_devices_per_month, lease_days, features } = plan;
  const data = { plan_id: id, plan: name, added, new_devices_per_month, lease_days, features };
  return { type: 'plan.changed', userId: null, data };
}

function byName(rows: readonly PlanRow[]): Plans {
  return new Map(rows.map((row) => [row.name, toPlan(row)]));
}

/** Returns a lookup of the features of these plans; `free` stands in for an unknown name. */
export function featuresAmong(plans: Plans): FeaturesOf {
  return (name) => {
    const plan = plans.get(name) ?? plans.get(freePlan);
    if (!plan) throw new Error(`There is no plan named "${freePlan}".`);
    return plan.features;
  };
}

/** The numbers were read as whole numbers; only a command can name more days than a lease can last. */
function validate(name: string, { lease_days }: PlanChange): void {
  if (!isPlanName(name)) {
    throw new ApiError(
      'VALIDATION_ERROR',
      'A plan name must have 1 to 50 lower-case letters, digits, hyphens or underscores.',
    );
  }
  if (lease_days && lease_days > maxLeaseDays) {
    throw new ApiError('VALIDATION_ERROR', `lease_days must be a whole number from 1 to ${maxLeaseDays}.`);
  }
}

function requireKnown({ features = {} }: PlanChange, known: readonly { readonly name: string }[]): void {
  const names = known.map(({ name }) => name);
  const unknown = Object.keys(features).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new ApiError(
    'VALIDATION_ERROR',
    `There is no feature named "${unknown}". The features are: ${names.join(', ')}. "feature set" adds one.`,
  );
}

function newRow(name: string, nowMs: number, random: Random): Tables['plans'] {
  return {
    id: newUuid(nowMs, random),
    name,
    max_devices: 1,
    new_devices_per_month: defaultNewDevicesPerMonth,
    lease_days: null,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
}

function changedRow(row: Tables['plans'], change: PlanChange, nowMs: number): Tables['plans'] {
  return {
    id: row.id,
    name: row.name,
    max_devices: change.max_devices ?? row.max_devices,
    new_devices_per_month: change.new_devices_per_month ?? row.new_devices_per_month,
    lease_days: change.lease_days === undefined ? row.lease_days : change.lease_days,
    created_at_ms: row.created_at_ms,
    updated_at_ms: nowMs,
  };
}

/** Describes the change for the audit log, with only the values that were given. */
function describeChange({ max_devices, new_devices_per_month, lease_days, features = {} }: PlanChange): AuditDetails {
  return {
    ...(max_devices !== undefined && { max_devices }),
    ...(new_devices_per_month !== undefined && { new_devices_per_month }),
    ...(lease_days !== undefined && { lease_days }),
    ...(Object.keys(features).length > 0 && { features: describeSwitches(features) }),
  };
}

/** Returns `csv_export on, api_access off`: a bare name could be mistaken for another detail. */
function describeSwitches(features: Readonly<Record<string, boolean>>): string {
  const switches = Object.entries(features).map(([name, isOn]) => `${name} ${isOn ? 'on' : 'off'}`);
  return switches.join(', ');
}

function toPlan({ switches, ...row }: PlanRow): Plan {
  const flags = Object.fromEntries(switches.split(' ').map((one) => [one.slice(0, -2), one.endsWith('1')]));
  return {
    id: row.id,
    name: row.name,
    max_devices: row.max_devices,
    new_devices_per_month: row.new_devices_per_month,
    lease_days: row.lease_days,
    features: { ...flags, max_devices: row.max_devices } as Features,
    created_at: toIso(row.created_at_ms),
    updated_at: toIso(row.updated_at_ms),
  };
}
