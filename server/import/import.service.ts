/** Imports the rows of a CSV file in batches, or reports what an import would do. */
import { basename } from 'node:path';
import type { AuditContext, AuditDetails } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { isConstraintViolation } from '../database/database-errors.ts';
import { TemporaryKeys, TemporaryRows } from '../database/temporary-rows.ts';
import { ApiError } from '../errors.ts';
import { inBatches } from '../in-batches.ts';
import { type FileRow, type ImportKind, type ImportSource, readRows } from './import-source.ts';
import type { RowImporter, RowPlan } from './row-importer.ts';

type ImportRun = {
  readonly kind: ImportKind;
  /** Absolute path. */
  readonly file: string;
  readonly source?: ImportSource;
  /** True to write nothing. */
  readonly dryRun: boolean;
  readonly by: AuditContext;
};

type ImportServiceDeps = AuditedDeps & {
  readonly importers: Readonly<Record<ImportKind, RowImporter>>;
};

export type ReportedRow = { readonly row: number; readonly reason: string };

/** The result of an import, which needs little memory however many rows are refused. Close it after printing. */
export class ImportReport {
  rows = 0;
  imported = 0;
  /** Refused rows, and rows with a warning, which were imported but not exactly as in the file. */
  readonly reported = new TemporaryRows<'refused' | 'warnings', ReportedRow>();

  close(): void {
    this.reported.close();
  }
}

/**
 * Rows per batch. Each batch is one commit: on SQLite, the writes of a running server wait for at most one batch.
 * Larger batches take more memory.
 */
const batchRows = 500;

/** Attempts per batch: someone may create or delete an account between the plan of a batch and its insertion. */
const maxAttempts = 3;

export class ImportService {
  readonly #deps: ImportServiceDeps;

  constructor(deps: ImportServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Runs the import. A refused row does not stop the others, and a row that was imported before is refused. If it
   * throws, earlier batches stay imported. `ApiError` NOT_FOUND for a file that cannot be read, VALIDATION_ERROR for an
   * invalid one. The caller closes the report.
   */
  async run(run: ImportRun): Promise<ImportReport> {
    const report = new ImportReport();
    using seen = run.dryRun ? new TemporaryKeys() : undefined;
    try {
      const rows = readRows(run.file, this.#deps.importers[run.kind], run);
      for await (const batch of inBatches(rows, batchRows)) {
        const plans = seen
          ? await this.#plan(this.#deps.database.read, batch, { ...run, isNew: (key) => seen.add(key) })
          : await this.#import(run, batch);
        report.rows += batch.length;
        for (const [index, plan] of plans.entries()) {
          const row = batch[index]?.row ?? 0;
          if ('refusal' in plan) {
            report.reported.add('refused', { row, reason: plan.refusal });
          } else {
            report.imported++;
            if (plan.warning !== undefined) report.reported.add('warnings', { row, reason: plan.warning });
          }
        }
      }
      if (!run.dryRun && report.imported === 0) await this.#recordNothing(run, report);
    } catch (error) {
      report.close();
      throw report.imported > 0 && !run.dryRun && error instanceof ApiError ? describeStop(error, report) : error;
    }
    return report;
  }

  async #import(run: ImportRun, batch: readonly FileRow[]): Promise<RowPlan<unknown>[]> {
    const { database } = this.#deps;
    for (let attempt = 1; ; attempt++) {
      try {
        return await database.write((transaction) => this.#importBatch(transaction, run, batch));
      } catch (error) {
        if (attempt === maxAttempts || !isConstraintViolation(error)) throw error;
      }
    }
  }

  async #importBatch(transaction: Transaction, run: ImportRun, batch: readonly FileRow[]): Promise<RowPlan<unknown>[]> {
    const keys = new Set<string>();
    const isNew = (key: string) => keys.size < keys.add(key).size;
    await this.#deps.importers[run.kind].lock?.(transaction);
    const plans = await this.#plan(transaction, batch, { ...run, isNew });
    const rows = plans.flatMap((plan) => ('row' in plan ? [plan.row] : []));
    if (rows.length === 0) return plans;
    await this.#deps.importers[run.kind].insert(transaction, rows);
    const [first, last] = [batch[0]?.row ?? 0, batch.at(-1)?.row ?? 0];
    await this.#record(transaction, run, { first_row: first, last_row: last, imported: rows.length });
    return plans;
  }

  /** Plans each row; also refuses keys for which `isNew` returns false. */
  async #plan(
    executor: Executor,
    batch: readonly FileRow[],
    { kind, isNew }: { kind: ImportKind; isNew: (key: string) => boolean },
  ): Promise<RowPlan<unknown>[]> {
    const importer = this.#deps.importers[kind];
    const readable = batch.flatMap(({ read }) => ('fields' in read ? [read.fields] : []));
    const plans = (await importer.plan(executor, readable)).values();
    return batch.map(({ read }) => {
      if ('refusal' in read) return read;
      const plan = plans.next().value ?? { refusal: '' };
      return 'key' in plan && !isNew(plan.key) ? { refusal: importer.duplicateRefusal } : plan;
    });
  }

  async #recordNothing(run: ImportRun, { rows }: ImportReport): Promise<void> {
    await this.#deps.database.write((transaction) => this.#record(transaction, run, { rows, imported: 0 }));
  }

  async #record(transaction: Transaction, run: ImportRun, counts: AuditDetails): Promise<void> {
    const { kind, source, file, by } = run;
    const details = { file: basename(file), ...(source && { from: source }), ...counts };
    const target = { kind: 'database', id: '', label: kind } as const;
    await this.#deps.auditLog.record(transaction, { ...by, action: 'import.run', target, details });
  }
}

function describeStop({ code, message }: ApiError, { imported }: ImportReport): ApiError {
  const kept = `${imported} rows before it were imported and stay; correct the file and import it again`;
  return new ApiError(code, `${message} ${kept}, which imports nothing twice.`);
}
