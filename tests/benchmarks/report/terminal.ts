/** The results as text for a terminal. */
import { type Figure, figures, hasBound } from '../measurement.ts';
import { describeBound, describeComparison, formatMedian, formatOutcome } from './format.ts';
import { describeEffort } from './readme.ts';
import type { Report, ReportRow } from './report.ts';

/** The other figures are only used in comparisons. */
const shownFigures = Object.keys(figures).filter((name) => name !== 'perCpuSecond' && name !== 'coresBusy') as Figure[];

export function formatReport(report: Report): string {
  const { rows } = report;
  const shown = shownFigures.filter((figure) => rows.some(({ samples }) => samples.some((sample) => figure in sample)));
  const header = ['', ...shown.map((figure) => figures[figure].label)];
  return [
    describeEffort(report),
    '',
    ...alignColumns([
      header,
      ...rows.map(({ name, samples }) => [name, ...shown.map((figure) => formatMedian(samples, figure))]),
    ]),
    '',
    ...alignColumns(rows.flatMap(goalLines)),
    ...rows.flatMap(problemLines),
  ].join('\n');
}

function goalLines({ name, goals }: ReportRow): string[][] {
  return goals.map((goal) => [
    describeComparison(name, goal),
    formatOutcome(goal),
    !hasBound(goal) ? '' : goal.isMet ? 'met' : 'NOT MET',
    describeBound(goal),
  ]);
}

function problemLines({ name, problem }: ReportRow): string[] {
  return problem === undefined ? [] : [`${name}: ${problem}`];
}

/** Aligns text to the left and numbers to the right. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = (cell: string) => /^[\d,.]+$/.test(cell);
  const align = (cell: string, column: number) =>
    isNumber(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(align).join('   ').trimEnd());
}
