/** What the tests of the matrix of faults share: how much of a row to run, and the figures that it leaves. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../harness/environment.ts';
import type { TestApp } from '../harness/start-app.ts';
import { rowOf } from './matrix.ts';

/** `short` or `long` in a run of `npm run torture`; not set in any other. */
const mode = process.env.TEST_TORTURE ?? '';

/** For what takes too long, however little of it is done. */
export const isLong = mode === 'long';

/** As a test has measured them, each after its name. */
export type Figures = Readonly<Record<string, string | number>>;

export type RowReport = { readonly amount: string; readonly figures: Figures };

/** How many of what the row counts are to be run. */
export function amount(row: number): number {
  const { amounts } = rowOf(row);
  if (amounts === null) throw new Error(`row ${row} runs all there is`);
  if (isLong) return amounts.long;
  return mode === '' ? (amounts.quick ?? amounts.short) : amounts.short;
}

/** How long a test of a row may take: `shortMs` with `npm test`, a day in a run of `npm run torture`. */
export function rowTimeout(shortMs: number): number {
  return mode === '' ? shortMs : 86_400_000;
}

/** The numbers of fast-check: so many runs, under the seed of TEST_SEED if there is one. */
export function runsOf(row: number): { readonly numRuns: number; readonly seed?: number } {
  const seed = process.env.TEST_SEED;
  return { numRuns: amount(row), ...(seed === undefined ? {} : { seed: Number(seed) }) };
}

export function reportFile(row: number): string {
  return join(repository, '.cache/matrix', `${row}.json`);
}

/** Remembers the figures of a row for the table, in a run that writes it; several tests of a row may add to them. */
export function reportFigures(row: number, report: RowReport): void {
  if (mode === '') return;
  const earlier = readReport(row);
  mkdirSync(join(repository, '.cache/matrix'), { recursive: true });
  const all = { amount: report.amount, figures: { ...earlier?.figures, ...report.figures } };
  writeFileSync(reportFile(row), JSON.stringify(all));
}

/** `undefined` where the tests of the row were skipped. */
export function readReport(row: number): RowReport | undefined {
  try {
    return JSON.parse(readFileSync(reportFile(row), 'utf8')) as RowReport;
  } catch {
    return undefined;
  }
}

/** Resolves when no write is under way: to one, a leap of the clock looks like a lock that is not free for that long. */
export async function settle({ database }: Pick<TestApp, 'database'>): Promise<void> {
  await database.write(async () => undefined);
}
