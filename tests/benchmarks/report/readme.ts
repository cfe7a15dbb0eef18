/**
 * Writes the results: two tables in `tests/benchmarks/README.md`, and in the README five lines and the plot of all
 * goals.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable, replaceSection } from '../../docs/generated-sections.ts';
import { repository } from '../../harness/environment.ts';
import { type Figure, figures } from '../measurement.ts';
import { describeFigures, describeGoals, formatMedian } from './format.ts';
import { formatFullRows } from './full-rows.ts';
import { describeMachine, drawGoals, type Theme } from './plot.ts';
import type { Report, ReportRow } from './report.ts';

const requestFigures = ['cpuMicros', 'perSecond', 'p50Ms', 'p99Ms', 'p999Ms'] as const satisfies readonly Figure[];
const otherFigures = Object.keys(figures).filter(
  (name) => !(requestFigures as readonly string[]).includes(name) && name !== 'perCpuSecond' && name !== 'coresBusy',
) as Figure[];

const summarizedRows = [
  'key validation',
  'license validation',
  'heartbeat of a new device',
  'activation',
  'sign-in',
] as const;

const pictureOf = (theme: Theme) => `tests/pictures/readme/benchmarks-${theme}.svg`;

/** Writes the tables and both pictures. */
export function writeReadme(report: Report): void {
  replaceIn('tests/benchmarks/README.md', 'benchmarks', formatSection(report));
  replaceIn('README.md', 'speed', formatSummary(report));
  for (const theme of ['light', 'dark'] as const) {
    writeFileSync(join(repository, pictureOf(theme)), drawGoals(report, theme));
  }
}

/** Writes the section of the rows that only `--full` measures. */
export function writeFullRows(): void {
  replaceIn('tests/benchmarks/README.md', 'benchmarks with --full', formatFullRows());
}

function replaceIn(document: string, section: string, content: string): void {
  const file = join(repository, document);
  writeFileSync(file, replaceSection(readFileSync(file, 'utf8'), section, content));
}

/** Returns what the README says about the most important rows. */
function formatSummary(report: Report): string {
  const lines = summarizedRows.flatMap((name) => {
    const samples = report.rows.find((row) => row.name === name)?.samples ?? [];
    const [perSecond, p99, micros] = (['perSecond', 'p99Ms', 'cpuMicros'] as const).map((figure) =>
      formatMedian(samples, figure),
    );
    return samples.length === 0
      ? []
      : `- **${name}**: ${perSecond} per second, p99 ${p99} ms, ${micros} µs of processor time each`;
  });
  return lines.join('\n');
}

export function formatSection(report: Report): string {
  const isRequest = ({ samples }: ReportRow) => samples.some((sample) => requestFigures.some((name) => name in sample));
  const measured = report.rows.filter(({ samples, onlyFull }) => samples.length > 0 && !onlyFull);
  const requests = measured.filter(isRequest);
  const others = measured.filter((row) => !isRequest(row));
  return [
    describeEffort(report),
    '',
    markdownTable(
      ['requests', ...requestFigures.map((figure) => figures[figure].label), 'compared in the same run'],
      requests.map((row) => [
        row.name,
        ...requestFigures.map((figure) => formatMedian(row.samples, figure)),
        describeGoals(row),
      ]),
    ),
    '',
    markdownTable(
      ['others', 'measured', 'compared in the same run'],
      others.map((row) => [row.name, describeFigures(row, otherFigures), describeGoals(row)]),
    ),
    ...report.rows.flatMap(({ name, problem }) =>
      problem === undefined ? [] : ['', `Not measured: ${name} (${problem}).`],
    ),
  ].join('\n');
}

export function describeEffort(report: Report): string {
  const { rounds, seconds, connections } = report.effort;
  const { loadGenerator } = report.machine;
  return `${describeMachine(report)} Medians of up to ${rounds} rounds; loads of ${seconds} s from ${loadGenerator} over ${connections} connections. CPU is the processor time of the server for each request, that of the kernel included.`;
}
