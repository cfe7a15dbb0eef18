/** Compares a provider's list of its subscriptions with what the accounts have, and makes them agree on request. */
import { basename } from 'node:path';
import type { AuditContext } from '../audit/audit-event.ts';
import { ApiError } from '../errors.ts';
import { readRows } from '../import/import-source.ts';
import { type GroupedRows, groupKeyOf } from './customer-states.ts';
import { ReconciliationCorrections, type ReconciliationCorrectionsDeps } from './reconciliation-corrections.ts';
import { decideAll, isWrong } from './reconciliation-decisions.ts';
import { ReconciliationReport } from './reconciliation-report.ts';
import { readReported, reportedColumns } from './reported-subscription.ts';

type ReconciliationRun = {
  /** Absolute path. */
  readonly file: string;
  /** True if differences are to be corrected. */
  readonly applies: boolean;
  readonly by: AuditContext;
};

const groupsAtOnce = 200;
/** How many invalid rows one message names. */
const maxProblems = 20;

export class ReconciliationService {
  readonly #deps: ReconciliationCorrectionsDeps;
  readonly #corrections: ReconciliationCorrections;

  constructor(deps: ReconciliationCorrectionsDeps) {
    this.#deps = deps;
    this.#corrections = new ReconciliationCorrections(deps);
  }

  /**
   * Reads all rows before changing anything. Throws `ApiError` NOT_FOUND if the file cannot be read, and
   * VALIDATION_ERROR with the numbers of the invalid rows if its content is invalid. The caller must close the report.
   */
  async run(run: ReconciliationRun): Promise<ReconciliationReport> {
    const report = new ReconciliationReport();
    try {
      await this.#read(run.file, report);
      for (const groups of report.groups(groupsAtOnce)) await this.#compareAll(run, report, groups);
    } catch (error) {
      report.close();
      throw error;
    }
    return report;
  }

  async #read(file: string, report: ReconciliationReport): Promise<void> {
    const { config, plans, clock } = this.#deps;
    const { plansByPrice } = config.billing;
    const reading = { nowMs: clock.now(), plansByPrice, plans: new Set((await plans.loadAll()).keys()) };
    const problems: string[] = [];
    let wrongRows = 0;
    for await (const { row, read } of readRows(file, reportedColumns)) {
      const reported = 'refusal' in read ? { problem: read.refusal } : readReported(row, read.fields, reading);
      if ('problem' in reported) {
        wrongRows++;
        if (problems.length < maxProblems) problems.push(`Row ${row}: ${reported.problem}`);
      } else report.addRow(reported, groupKeyOf(reported));
    }
    if (wrongRows > 0) throw refuseRows(problems, wrongRows);
  }

  async #compareAll(
    run: ReconciliationRun,
    report: ReconciliationReport,
    groups: GroupedRows['groups'],
  ): Promise<void> {
    const { database, clock } = this.#deps;
    const { hasKey } = report;
    const context = { by: run.by, file: basename(run.file), hasKey };
    for (const decisions of await decideAll(database.read, this.#deps, { groups, hasKey }, clock.now())) {
      const isApplied = run.applies && decisions.some(isWrong);
      report.addDecisions(isApplied ? await this.#corrections.apply(decisions, context) : decisions);
    }
  }
}

function refuseRows(problems: readonly string[], count: number): ApiError {
  const more = count > problems.length ? ` And ${count - problems.length} rows more.` : '';
  return new ApiError('VALIDATION_ERROR', `${problems.join(' ')}${more} Correct the file: nothing was changed.`);
}
