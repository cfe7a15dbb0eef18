/**
 * `npm run mutate [-- SLICE… | SLICE --only GLOB]`: mutates the code, one small change at a time, and counts the
 * changes that a test detects. Writes the results into README.md, and fails if fewer than 92 % are detected, or if an
 * undetected one is not listed in `equivalent.ts`. With `--only` it tries those files of the slice, and writes nothing.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findUnlisted, type Mutant, readMutants, scoreOf } from './report.ts';
import { type Slice, slices } from './slices.ts';
import { writeResult } from './write-result.ts';

const root = resolve(import.meta.dirname, '../..');
const tool = join(root, '.cache/mutation');
const leastPercent = 92;

/** Installed separately from the project's packages, since nothing else needs its 150 packages. */
function installTool(): void {
  const manifests = ['package.json', 'package-lock.json', '.npmrc'];
  const isInstalled =
    existsSync(join(tool, 'node_modules')) &&
    manifests.every((name) => readOrEmpty(join(tool, name)) === readOrEmpty(join(import.meta.dirname, name)));
  if (isInstalled) return;
  mkdirSync(tool, { recursive: true });
  for (const name of manifests) cpSync(join(import.meta.dirname, name), join(tool, name));
  const { status } = spawnSync('npm', ['ci'], { cwd: tool, stdio: 'inherit' });
  if (status !== 0) throw new Error('The mutation tester could not be installed.');
}

function readOrEmpty(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function runSlice({ name, mutate, tests }: Slice, only: string | undefined): boolean {
  console.log(`\n── ${name}`);
  const report = join(tool, 'reports', `${name}.json`);
  rmSync(report, { force: true });
  const config = join(tool, 'stryker.config.json');
  writeFileSync(
    config,
    JSON.stringify({
      mutate: only === undefined ? mutate : [only],
      testRunner: 'vitest',
      plugins: ['@stryker-mutator/vitest-runner'],
      vitest: { configFile: 'tests/mutation/vitest.config.ts', related: false, pool: 'forks' },
      coverageAnalysis: 'perTest',
      // Code that runs once, when a module is loaded, would need a process for each change.
      ignoreStatic: true,
      // Stryker reads a tsconfig that it finds with an older TypeScript.
      tsconfigFile: 'tests/mutation/none.json',
      reporters: ['progress-append-only', 'json'],
      jsonReporter: { fileName: report },
      tempDirName: '.cache/mutation/sandbox',
      ignorePatterns: ['.cache', '/dist', '/release', '/data'],
      concurrency: 2,
      // A busy machine takes several times as long as an idle one.
      timeoutMS: 30_000,
      timeoutFactor: 3,
      dryRunTimeoutMinutes: 20,
      packageManager: 'npm',
    }),
  );
  const stryker = join(tool, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  spawnSync(process.execPath, [stryker, 'run', config], {
    cwd: root,
    stdio: 'inherit',
    // With PostgreSQL, tests start servers as separate processes, in which nothing is mutated.
    env: { ...process.env, MUTATION_TESTS: tests.join(','), TEST_QUICK: '1', TEST_POSTGRES: '0' },
  });
  if (!existsSync(report)) {
    console.log(`${name}: the tests could not be run.`);
    return false;
  }
  const mutants = readMutants(JSON.parse(readFileSync(report, 'utf8')));
  const score = scoreOf(mutants);
  const unlisted = findUnlisted(mutants);
  for (const survivor of unlisted) console.log(describe(survivor));
  console.log(`${name}: ${score.percent} % of ${score.total} noticed, ${unlisted.length} of the others not explained.`);
  if (only === undefined) writeResult(name, { ...score, unlisted: unlisted.length });
  return score.percent >= leastPercent && unlisted.length === 0;
}

function describe({ file, line, source, replacement }: Mutant): string {
  return `not noticed: ${file}:${line}\n    ${source}\n    => ${replacement}`;
}

const { values, positionals: names } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
const unknown = names.filter((name) => !slices.some((slice) => slice.name === name));
if (unknown.length > 0) {
  console.error(`There is no slice named ${unknown.join(', ')}: ${slices.map(({ name }) => name).join(', ')}.`);
  process.exitCode = 2;
} else {
  installTool();
  const chosen = slices.filter(({ name }) => names.length === 0 || names.includes(name));
  const results = chosen.map((slice) => runSlice(slice, values.only));
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
