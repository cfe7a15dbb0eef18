/**
 * `npm run torture [-- ROW …]`: runs rows of the matrix of faults with their long amounts, one after the other, and
 * writes their figures into the README of this folder. `--short` runs the short amounts, `--amount N` any other;
 * `--document` runs nothing, and only writes the list of weaknesses, as each run does too.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repository } from '../harness/environment.ts';
import { type Row, rows } from './matrix.ts';
import { readReport, reportFile } from './matrix-run.ts';

const { values: options, positionals } = parseArgs({
  options: { short: { type: 'boolean' }, amount: { type: 'string' }, document: { type: 'boolean' } },
  allowPositionals: true,
});
const wanted = positionals.map(Number);
const size = options.amount ?? (options.short ? 'short' : 'long');
if (!['short', 'long'].includes(size) && !(Number(size) > 0)) throw new Error('--amount takes a number');
const document = join(import.meta.dirname, 'README.md');

const playwrightConfigs: Readonly<Record<string, string>> = {
  'tests/e2e': 'tests/e2e/playwright.config.ts',
  'tests/renderer': 'tests/renderer/playwright.config.ts',
};

type Command = readonly string[];

function vitest(files: readonly string[]): Command {
  return ['node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/vitest.config.ts', '--bail=1', ...files];
}

function playwright(file: string): Command {
  const folder = file.split('/').slice(0, 2).join('/');
  const config = playwrightConfigs[folder] ?? '';
  return ['node_modules/@playwright/test/cli.js', 'test', '--config', config, file.split('/').at(-1) ?? ''];
}

function commandsOf({ files }: Row): Command[] {
  const tests = files.filter((file) => file.endsWith('.test.ts'));
  const specs = files.filter((file) => file.endsWith('.spec.ts'));
  return [...(tests.length > 0 ? [vitest(tests)] : []), ...specs.map(playwright)];
}

/** Runs a row, and returns its line of the table. */
function runRow(row: Row): string {
  console.log(`\n── ${row.number}: ${row.what}`);
  rmSync(reportFile(row.number), { force: true });
  const startedMs = Date.now();
  const env = { ...process.env, TEST_TORTURE: size };
  const statuses = commandsOf(row).map(
    (command) => spawnSync(process.execPath, command, { cwd: repository, stdio: 'inherit', env }).status,
  );
  const seconds = Math.round((Date.now() - startedMs) / 1000);
  const report = readReport(row.number);
  const isFailed = statuses.some((status) => status !== 0);
  const outcome = isFailed ? '**no**' : report === undefined && row.amounts !== null ? 'skipped' : 'yes';
  const figures = Object.entries(report?.figures ?? {}).map(([name, value]) => `${name} ${value}`);
  const date = new Date(startedMs).toISOString().slice(0, 10);
  const amount = report?.amount ?? 'all';
  return `| ${row.number} | ${row.what} | ${date} | ${describeMachine()} | ${amount}, ${seconds} s | ${figures.join(', ')} | ${outcome} |`;
}

function describeMachine(): string {
  const { length, 0: first } = cpus();
  return `${length} × ${(first?.model ?? 'unknown').replace(/\s+/g, ' ').trim()}, Node ${process.version}`;
}

/** Returns the text between two markers of the document, and a way to replace it. */
function section(text: string, name: string): { readonly content: string; replace(content: string): string } {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before = '', rest = ''] = text.split(start);
  const [content = '', after = ''] = rest.split(end);
  return { content, replace: (wanted) => `${before}${start}\n${wanted}\n${end}${after}` };
}

/** Replaces the lines of these rows, and keeps the others. */
function writeDocument(lines: ReadonlyMap<number, string>): void {
  const figures = section(readFileSync(document, 'utf8'), 'figures');
  const kept = new Map(
    [...figures.content.matchAll(/^\| (\d+) \|.*$/gm)].map(([line, number]): [number, string] => [
      Number(number),
      line,
    ]),
  );
  const all = rows.flatMap(({ number }) => lines.get(number) ?? kept.get(number) ?? []);
  const head = '| # | fault or abuse | date | machine | amount | figures | held |\n|---|---|---|---|---|---|---|';
  const weaknesses = rows.map(({ number, planted }) => `| ${number} | ${planted ?? 'none was tried yet'} |`);
  const withFigures = figures.replace([head, ...all].join('\n'));
  const whole = section(withFigures, 'weaknesses').replace(['| # | falls with |\n|---|---|', ...weaknesses].join('\n'));
  writeFileSync(document, whole);
}

const chosen = rows.filter(({ number }) => !options.document && (wanted.length === 0 || wanted.includes(number)));
const lines = new Map<number, string>();
writeDocument(lines);
for (const row of chosen) {
  lines.set(row.number, runRow(row));
  // After each row, so that an interrupted run keeps its results.
  writeDocument(lines);
}
const failed = [...lines].filter(([, line]) => line.endsWith('| **no** |')).map(([number]) => number);
console.log(failed.length === 0 ? `${lines.size} rows held` : `did not hold: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
