/** The rows that only `--full` measures: a file keeps their last figures, because most runs skip them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from '../../docs/generated-sections.ts';
import { type Figure, figures } from '../measurement.ts';
import { describeFigures, describeGoals } from './format.ts';
import type { Report, ReportRow } from './report.ts';

export type FullRow = Pick<ReportRow, 'name' | 'samples' | 'goals'> & { readonly measuredOn: string };

const file = join(import.meta.dirname, 'full-rows.json');
const shown = (Object.keys(figures) as Figure[]).filter((name) => name !== 'perCpuSecond' && name !== 'coresBusy');

/** Stores the figures of the report for later runs. */
export function saveFullRows(report: Report, names: readonly string[]): void {
  const rows = mergeFullRows(existsSync(file) ? readFullRows() : [], report, names);
  writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
}

/** Returns the rows with these names, in order: from the report, or the known ones if it has no figures. */
export function mergeFullRows(known: readonly FullRow[], report: Report, names: readonly string[]): FullRow[] {
  const { measuredOn } = report;
  const measured = report.rows.flatMap(({ name, samples, goals }) =>
    samples.length > 0 ? [{ name, measuredOn, samples, goals }] : [],
  );
  return names.flatMap((wanted) => [...measured, ...known].find(({ name }) => name === wanted) ?? []);
}

export function formatFullRows(): string {
  return markdownTable(
    ['with `--full`', 'measured', 'compared in the same run', 'on'],
    readFullRows().map((row) => [row.name, describeFigures(row, shown), describeGoals(row), row.measuredOn]),
  );
}

function readFullRows(): FullRow[] {
  return JSON.parse(readFileSync(file, 'utf8'));
}
