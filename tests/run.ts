/**
 * `npm test`: gets a browser, builds, runs every suite without its longest tests (`npm test -- --all` with them), and
 * closes with the sum of what passed and failed.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildIfChanged } from '../electron/host/start/build-if-changed.ts';
import { installBrowser } from './run/install-browser.ts';
import { type Counts, closingLine, type Suite, suites } from './run/suites.ts';
import { temporaryParent } from './run/temporary-parent.ts';

const none: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
const usage = `npm test [-- [--all [--within MINUTES]] [SUITE…]]

The suites are: ${suites.map(({ name }) => name).join('; ')}. A word that their name contains is enough.
--all runs their longest tests too; with --within not those of suites that begin after so many minutes.
One test file: npm run test:unit -- tests/shared/lease.test.ts`;

function runNode(parameters: readonly string[], environment: NodeJS.ProcessEnv): number {
  return spawnSync(process.execPath, parameters, { stdio: 'inherit', env: environment }).status ?? 1;
}

function runSuite(suite: Suite, report: string, environment: NodeJS.ProcessEnv): Counts {
  console.log(`\n── ${suite.name}`);
  const command = suite.command.map((part) => part.replace('REPORT', report));
  const extra = Object.entries(suite.environment ?? {}).map(([name, value]) => [name, value.replace('REPORT', report)]);
  const status = runNode(command, { ...environment, ...Object.fromEntries(extra) });
  const counts = readCounts(suite, report);
  // A runner that exits badly although nothing failed has failed in a way of its own: a leak, a crash, no report.
  return status !== 0 && counts.failed === 0
    ? addFailure(counts, `The suite "${suite.name}" ended with ${status}`)
    : counts;
}

function readCounts(suite: Suite, report: string): Counts {
  try {
    return suite.count(JSON.parse(readFileSync(report, 'utf8')));
  } catch (error) {
    return addFailure(none, `The suite "${suite.name}" left no report that can be read: ${error}`);
  }
}

function addFailure(counts: Counts, failure: string): Counts {
  return { ...counts, failed: counts.failed + 1, failures: [...counts.failures, failure] };
}

type Chosen = { readonly chosen: readonly Suite[]; readonly isAll: boolean; readonly withinMs: number };

/** What the suites write is below this folder. */
async function runAll({ chosen, isAll, withinMs }: Chosen, folder: string): Promise<Counts> {
  const environment = {
    ...process.env,
    TEST_BROWSER: installBrowser(),
    TEST_QUICK: isAll ? '0' : '1',
    TEST_BUILT: '1',
  };
  console.log('── build');
  try {
    await buildIfChanged(resolve(import.meta.dirname, '..'), console.log);
  } catch (error) {
    return addFailure(none, `The build failed: ${error}`);
  }
  return chosen
    .map((suite, index) => {
      const isQuick = !isAll || performance.now() > withinMs;
      if (isAll && isQuick) console.log(`\n${suite.name}: without its longest tests, for lack of time`);
      return runSuite(suite, join(folder, `report-${index}.json`), { ...environment, TEST_QUICK: isQuick ? '1' : '0' });
    })
    .reduce((sum, counts) => ({
      passed: sum.passed + counts.passed,
      failed: sum.failed + counts.failed,
      skipped: sum.skipped + counts.skipped,
      failures: [...sum.failures, ...counts.failures],
    }));
}

/** Throws for what `usage` does not name. */
function readArguments(): Chosen {
  const options = { all: { type: 'boolean', default: false }, within: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const chosen = suites.filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
  );
  const withinMs = values.within === undefined ? Number.POSITIVE_INFINITY : Number(values.within) * 60_000;
  if (chosen.length === 0 || Number.isNaN(withinMs)) throw new Error('no such suite, or no number of minutes');
  return { chosen, isAll: values.all, withinMs };
}

async function main(): Promise<number> {
  let chosen: Chosen;
  try {
    chosen = readArguments();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  const folder = mkdtempSync(join(temporaryParent(), 'latchkey-'));
  // The user of PostgreSQL has its data in there.
  chmodSync(folder, 0o711);
  try {
    const counts = await runAll(chosen, folder);
    if (counts.failures.length > 0) {
      console.log(`\n── failed\n${counts.failures.join('\n')}`);
    }
    console.log(`\n${closingLine(counts)}`);
    return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
