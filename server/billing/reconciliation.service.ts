/** Compares a provider's list of its subscriptions with what the accounts have, and makes them agree where asked to. */
import { basename } from 'node:path';
import { parseEmail } from '../../shared/formats/email.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { BillingProviderName } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import { readCsvRecords } from '../import/csv-records.ts';
import { createRowReader } from '../import/import-source.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { chooseSubscription, readSubscriptionStatus } from '../subscriptions/subscription.rules.ts';
import { listCustomers } from './billing.repository.ts';
import { isOutdated } from './billing.rules.ts';
import { loadHoldings } from './holdings.ts';
import { compare } from './reconciliation.rules.ts';
import { ReconciliationHealing, type ReconciliationHealingDeps } from './reconciliation-healing.ts';
import { type Finding, type Group, ReconciliationReport, type StatedRow } from './reconciliation-report.ts';
import { readStated, type StatedSubscription, statedColumns } from './stated-subscription.ts';

export type ReconciliationServiceDeps = ReconciliationHealingDeps & {
  readonly database: Database;
  readonly clock: Clock;
  readonly accounts: AccountService;
  readonly plans: PlanService;
  /** The plan of each price. */
  readonly plansByPrice: ReadonlyMap<string, string>;
};

export type ReconciliationRun = {
  /** The absolute path. */
  readonly file: string;
  /** Whether what does not agree is made to agree. */
  readonly applies: boolean;
  readonly by: AuditContext;
};

const batchRows = 500;
const groupsAtOnce = 200;
/** So many rows that are wrong are named in one message. */
const maxProblems = 20;

export class ReconciliationService {
  readonly #deps: ReconciliationServiceDeps;
  readonly #healing: ReconciliationHealing;

  constructor(deps: ReconciliationServiceDeps) {
    this.#deps = deps;
    this.#healing = new ReconciliationHealing(deps);
  }

  /**
   * All rows are read before anything is changed. Throws `ApiError` NOT_FOUND for a file that cannot be read,
   * VALIDATION_ERROR for one that is not as it must be, with the numbers of the rows that are wrong. The caller closes the
   * report.
   */
  async run(run: ReconciliationRun): Promise<ReconciliationReport> {
    const report = new ReconciliationReport();
    try {
      const nowMs = this.#deps.clock.now();
      await this.#read(run, report, nowMs);
      for (const groups of report.groups(groupsAtOnce)) await this.#compareAll(run, report, { groups, nowMs });
    } catch (error) {
      report.close();
      throw error;
    }
    return report;
  }

  async #read({ file }: ReconciliationRun, report: ReconciliationReport, nowMs: number): Promise<void> {
    const { plans, plansByPrice } = this.#deps;
    const reading = { nowMs, plansByPrice, plans: new Set((await plans.loadAll()).keys()) };
    const records = readCsvRecords(file);
    const header = await records.next();
    if (header.done) throw new ApiError('VALIDATION_ERROR', 'The file is empty: its first line must name the columns.');
    const read = createRowReader(header.value.fields, statedColumns);
    const problems: string[] = [];
    let wrongRows = 0;
    let batch: StatedSubscription[] = [];
    for await (const { row, fields } of records) {
      const values = read(fields);
      const stated = 'refusal' in values ? { problem: values.refusal } : readStated(row, values.fields, reading);
      if ('problem' in stated) {
        wrongRows++;
        if (problems.length < maxProblems) problems.push(`Row ${row}: ${stated.problem}`);
      } else if (wrongRows === 0) batch.push(stated);
      if (batch.length < batchRows) continue;
      await this.#add(report, batch);
      batch = [];
    }
    if (wrongRows > 0) throw refuseRows(problems, wrongRows);
    await this.#add(report, batch);
  }

  /** With the account of each row: that of the customer, else the one with the email. */
  async #add(report: ReconciliationReport, batch: readonly StatedSubscription[]): Promise<void> {
    const { database, accounts } = this.#deps;
    const customers = new Map<string, { readonly email: string | null; readonly user_id: string | null }>();
    for (const [provider, rows] of Map.groupBy(batch, (stated) => stated.provider)) {
      const ids = rows.map(({ customer }) => customer);
      for (const found of await listCustomers(database.read, provider, ids)) {
        customers.set(keyOf(provider, found.customer_id), found);
      }
    }
    const known = batch.map((stated) => {
      const customer = customers.get(keyOf(stated.provider, stated.customer));
      return {
        stated: { ...stated, email: stated.email || (customer?.email ?? '') },
        userId: customer?.user_id ?? null,
      };
    });
    const ids = await accounts.findIds(
      database.read,
      known.filter(({ userId }) => userId === null).map(({ stated }) => stated.email),
    );
    for (const { stated, userId: ofCustomer } of known) {
      const userId = ofCustomer ?? ids.get(stated.email) ?? null;
      const someone = userId ?? (parseEmail(stated.email)?.key || `customer ${stated.customer}`);
      report.addRow({ ...stated, userId }, keyOf(stated.provider, someone));
    }
  }

  async #compareAll(
    run: ReconciliationRun,
    report: ReconciliationReport,
    { groups, nowMs }: { readonly groups: readonly Group[]; readonly nowMs: number },
  ): Promise<void> {
    const { database, subscriptions, plans } = this.#deps;
    const featuresOf = await plans.loadFeatures();
    const firsts = groups.map((group) => ({ group, first: report.rowsOf(group).next().value }));
    const userIds = firsts.flatMap(({ first }) => first?.userId ?? []);
    const holdings = await loadHoldings(database.read, { subscriptions, featuresOf }, { userIds, nowMs });
    for (const { group, first } of firsts) {
      if (!first) continue;
      const holding = holdings.of(first.userId, first.provider);
      let best: StatedRow | undefined;
      for (const stated of report.rowsOf(group)) {
        if (stated.asOfMs !== null && isOutdated(stated.asOfMs, holding.lastEventMs)) {
          report.add('stale', describe(stated, holding));
          continue;
        }
        // Of several subscriptions the best one counts, as it does for the account.
        if (best) report.agree++;
        best = best ? chooseStated([best, stated], (rows) => chooseSubscription(rows, featuresOf, nowMs)) : stated;
      }
      if (best) await this.#compareOne(run, report, { stated: best, holding, nowMs });
    }
  }

  async #compareOne(
    { applies, by, file }: ReconciliationRun,
    report: ReconciliationReport,
    {
      stated,
      holding,
      nowMs,
    }: { readonly stated: StatedRow; readonly holding: DescribedHolding; readonly nowMs: number },
  ): Promise<void> {
    const kind = compare(stated, holding, nowMs);
    if (kind === 'agree') {
      report.agree++;
      return;
    }
    if (!applies) {
      report.add(kind, describe(stated, holding));
      return;
    }
    const healed = await this.#healing.heal(stated, { by, file: basename(file) });
    if (healed.kind === 'agree') report.agree++;
    else report.add(healed.kind, { ...describe(stated, healed.holding), ...healed.result });
  }
}

/** What the description of a finding needs. */
export type DescribedHolding = ReturnType<Awaited<ReturnType<typeof loadHoldings>>['of']>;

function describe(stated: StatedRow, { atProvider, lastEventMs, nowMs }: DescribedHolding): Finding {
  const { row, provider, customer, email, plan, status, periodEndMs, asOfMs } = stated;
  return {
    row,
    provider,
    customer: customer || null,
    email: email || null,
    plan: plan || null,
    status,
    current_period_end: periodEndMs === null ? null : toIso(periodEndMs),
    as_of: asOfMs === null ? null : toIso(asOfMs),
    server: atProvider
      ? {
          plan: atProvider.plan,
          status: readSubscriptionStatus(atProvider, nowMs),
          current_period_end: toIso(atProvider.current_period_end_ms),
        }
      : null,
    ...(asOfMs !== null &&
      isOutdated(asOfMs, lastEventMs) &&
      lastEventMs !== null && { last_event_at: toIso(lastEventMs) }),
  };
}

/** As a subscription of an account, which is what the choice between several is made of. */
function chooseStated(
  rows: readonly [StatedRow, StatedRow],
  choose: (
    candidates: {
      id: string;
      plan: string;
      status: StatedRow['status'];
      current_period_end_ms: number;
      by_typed_email: 0;
      stated: StatedRow;
    }[],
  ) => { stated: StatedRow } | undefined,
): StatedRow {
  const candidates = rows.map((stated) => ({
    id: String(stated.row).padStart(12, '0'),
    plan: stated.plan,
    status: stated.status,
    current_period_end_ms: stated.periodEndMs ?? 0,
    by_typed_email: 0 as const,
    stated,
  }));
  return choose(candidates)?.stated ?? rows[0];
}

function keyOf(provider: BillingProviderName, id: string): string {
  return `${provider} ${id}`;
}

function refuseRows(problems: readonly string[], count: number): ApiError {
  const more = count > problems.length ? ` And ${count - problems.length} rows more.` : '';
  return new ApiError('VALIDATION_ERROR', `${problems.join(' ')}${more} Correct the file: nothing was changed.`);
}
