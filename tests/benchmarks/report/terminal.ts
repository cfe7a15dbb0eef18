/** The findings as text for a terminal. */
import { type Figure, figures, type Goal, type JudgedGoal, type Spread, spreadOfFigure } from '../measurement.ts';
import type { Report, ReportRow } from './report.ts';

const shownFigures = Object.keys(figures).filter((name) => name !== 'perCpuSecond' && name !== 'coresBusy') as Figure[];

export function formatReport(report: Report): string {
  const { machine, effort, rows } = report;
  const shown = shownFigures.filter((figure) => rows.some(({ samples }) => samples.some((sample) => figure in sample)));
  const header = ['', ...shown.map((figure) => figures[figure].label)];
  return [
    `Node ${machine.node} on ${machine.cores} × ${machine.cpu}; load from ${machine.loadGenerator}`,
    `medians of up to ${effort.rounds} rounds, loads of ${effort.seconds} s over ${effort.connections} connections; CPU is the server's own, its kernel time included`,
    '',
    ...alignColumns([header, ...rows.map((row) => [row.name, ...shown.map((figure) => formatMedian(row, figure))])]),
    '',
    'goals, as the median (lowest to highest) of the rounds',
    ...alignColumns(rows.flatMap(goalLines)),
    ...rows.flatMap(problemLines),
  ].join('\n');
}

function formatMedian({ samples }: ReportRow, figure: Figure): string {
  const spread = spreadOfFigure(samples, figure);
  return spread === undefined ? '' : formatNumber(spread.median, figures[figure].digits);
}

function goalLines({ name, goals }: ReportRow): string[][] {
  return goals.map((goal) => [name, describeGoal(goal), formatSpread(goal), goal.isMet ? 'met' : 'NOT MET']);
}

function problemLines({ name, problem }: ReportRow): string[] {
  return problem === undefined ? [] : [`${name}: ${problem}`];
}

/** What is compared with what, and the goal: `per CPU second ≥ 0.72 × bare route`. */
export function describeGoal({ figure, against, atLeast, atMost }: Goal): string {
  const bound = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  return `${figures[figure].label} ${bound}${against === undefined ? '' : ` × ${against}`}`;
}

export function formatSpread({ measured: { median, low, high } }: JudgedGoal): string {
  return `${significant(median)} (${significant(low)} to ${significant(high)})`;
}

export function formatNumber(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function significant(value: Spread['median']): string {
  return value >= 100 ? formatNumber(value, 0) : value >= 10 ? formatNumber(value, 1) : formatNumber(value, 2);
}

/** The first column to the left, and so are columns of words; numbers to the right. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = (cell: string) => /^[\d,.]+$/.test(cell);
  const align = (cell: string, column: number) =>
    isNumber(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(align).join('   ').trimEnd());
}
