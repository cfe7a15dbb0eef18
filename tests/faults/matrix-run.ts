/** Helpers of the fault matrix: how much of a row to run, and the figures that it reports. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../harness/environment.ts';
import type { TestApp } from '../harness/start-app.ts';
import { rowOf } from './matrix.ts';

/** `short`, `long` or an amount in a run of `npm run torture`, otherwise empty. */
const mode = process.env.TEST_TORTURE ?? '';

/** True in `npm run torture`, which has the machine to itself: only there is anything asserted about speed. */
export const isTorture = mode !== '';

/** Measured figures by name. */
export type Figures = Readonly<Record<string, string | number>>;

export type RowReport = { readonly amount: string; readonly figures: Figures };

/** Returns how many of the units of a row to run. */
export function amount(row: number): number {
  const { amounts } = rowOf(row);
  if (amounts === null) throw new Error(`row ${row} runs all there is`);
  if (mode === '') return amounts.quick ?? amounts.short;
  const { short, long } = amounts;
  return { short, long }[mode] ?? Number(mode);
}

/** Returns the time limit for a test of a row: ten minutes with `npm test`, one day with `npm run torture`. */
export function rowTimeout(): number {
  return mode === '' ? 600_000 : 86_400_000;
}

/** Returns the fast-check parameters of a row: the number of runs, and TEST_SEED as the seed if it is set. */
export function runsOf(row: number): { readonly numRuns: number; readonly seed?: number } {
  const seed = process.env.TEST_SEED;
  return { numRuns: amount(row), ...(seed === undefined ? {} : { seed: Number(seed) }) };
}

export function reportFile(row: number): string {
  return join(repository, '.cache/matrix', `${row}.json`);
}

/** Records the figures of a row for the table in a torture run; several tests of a row may add to them. */
export function reportFigures(row: number, report: RowReport): void {
  if (mode === '') return;
  const earlier = readReport(row);
  mkdirSync(join(repository, '.cache/matrix'), { recursive: true });
  const all = { amount: report.amount, figures: { ...earlier?.figures, ...report.figures } };
  writeFileSync(reportFile(row), JSON.stringify(all));
}

/** Returns the report of a row, or `undefined` if its tests were skipped. */
export function readReport(row: number): RowReport | undefined {
  try {
    return JSON.parse(readFileSync(reportFile(row), 'utf8')) as RowReport;
  } catch {
    return undefined;
  }
}

/**
 * Resolves when no write is in progress: during a write, a clock jump looks like a lock that is unavailable for that
 * long.
 */
export async function settle({ database }: Pick<TestApp, 'database'>): Promise<void> {
  await database.write(async () => undefined);
}
