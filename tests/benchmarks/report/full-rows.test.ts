/** A run that skips rows keeps their last figures. */
import { expect, it } from 'vitest';
import { type FullRow, mergeFullRows } from './full-rows.ts';
import type { Report, ReportRow } from './report.ts';

const row = (name: string, ...mebibytes: number[]): ReportRow => {
  return { name, group: 'g', samples: mebibytes.map((value) => ({ mebibytes: value })), goals: [], onlyFull: true };
};
const known = (name: string, value: number): FullRow => {
  return { name, measuredOn: '2026-01-01', samples: [{ mebibytes: value }], goals: [] };
};

it('measured rows replace the known ones, and the others stay unchanged', () => {
  const report: Report = {
    measuredOn: '2026-02-02',
    machine: { node: 'v24', cpu: 'cpu', cores: 2, loadGenerator: 'wrk' },
    effort: { rounds: 1, seconds: 1, connections: 1, full: true },
    rows: [row('measured', 5), row('failed')],
  };
  const before = [known('left out', 1), known('failed', 2), known('measured', 3), known('no longer there', 4)];
  const rows = mergeFullRows(before, report, ['measured', 'failed', 'left out', 'never measured']);
  expect(rows.map(({ name, measuredOn, samples }) => [name, measuredOn, samples[0]?.mebibytes])).toEqual([
    ['measured', '2026-02-02', 5],
    ['failed', '2026-01-01', 2],
    ['left out', '2026-01-01', 1],
  ]);
});
