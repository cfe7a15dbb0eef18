/** The suites of `npm test`, and how each one's report is counted. */
import { stripVTControlCharacters } from 'node:util';

export type Counts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Each failure with the first lines of its reason, to be repeated where a log that is cut short still has it: its end. */
  readonly failures: readonly string[];
};

export type Suite = {
  readonly name: string;
  /** Run with the project's own Node; `REPORT` stands for the path of the report. */
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly count: (report: unknown) => Counts;
};

const vitest = 'node_modules/vitest/vitest.mjs';
const playwright = 'node_modules/@playwright/test/cli.js';

export const suites: readonly Suite[] = [
  vitestSuite('unit and server', 'shared process'),
  {
    name: 'window',
    command: [playwright, 'test', '--config', 'tests/renderer/playwright.config.ts', '--reporter=list,json'],
    environment: { PLAYWRIGHT_JSON_OUTPUT_NAME: 'REPORT' },
    count: countPlaywright,
  },
  {
    name: 'admin page',
    command: [playwright, 'test', '--config', 'tests/admin-page/playwright.config.ts', '--reporter=list,json'],
    environment: { PLAYWRIGHT_JSON_OUTPUT_NAME: 'REPORT' },
    count: countPlaywright,
  },
  {
    name: 'end to end',
    command: [playwright, 'test', '--config', 'tests/e2e/playwright.config.ts', '--reporter=list,json'],
    environment: { PLAYWRIGHT_JSON_OUTPUT_NAME: 'REPORT' },
    count: countPlaywright,
  },
  vitestSuite('faults', 'own process'),
];

/** The files of one project of `tests/vitest.config.ts`. */
function vitestSuite(name: string, project: string): Suite {
  const reporters = ['--reporter=default', '--reporter=tests/run/counts-reporter.ts'];
  return {
    name,
    command: [vitest, 'run', '--config', 'tests/vitest.config.ts', '--project', project, ...reporters],
    environment: { VITEST_COUNTS: 'REPORT' },
    count: (report) => report as Counts,
  };
}

type PlaywrightSuite = {
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs: readonly {
    readonly title: string;
    readonly file: string;
    readonly line: number;
    readonly tests: readonly {
      readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped';
      readonly results: readonly { readonly error?: { readonly message?: string } }[];
    }[];
  }[];
};

type PlaywrightReport = {
  readonly suites: readonly PlaywrightSuite[];
  readonly stats: {
    readonly expected: number;
    readonly unexpected: number;
    readonly flaky: number;
    readonly skipped: number;
  };
  readonly errors: readonly { readonly message?: string }[];
};

/** Counts specs; a flaky one has failed, and so has an error outside of any spec. */
export function countPlaywright(report: unknown): Counts {
  const { suites: files, stats, errors } = report as PlaywrightReport;
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
    failures: [
      ...files.flatMap(listFailedSpecs),
      ...errors.map(({ message }) => describeFailure('outside of any spec', message)),
    ],
  };
}

function listFailedSpecs({ suites: inner = [], specs }: PlaywrightSuite): string[] {
  const failed = specs.flatMap(({ title, file, line, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ results }) =>
        describeFailure(`${file}:${line} › ${title}`, results.find(({ error }) => error !== undefined)?.error?.message),
      ),
  );
  return [...failed, ...inner.flatMap(listFailedSpecs)];
}

/** The name of what failed, and under it the first lines of the reason, which may be long and in color. */
export function describeFailure(name: string, reason = ''): string {
  const lines = stripVTControlCharacters(reason).split('\n');
  return [name, ...lines.slice(0, 12).map((line) => `    ${line}`)].join('\n');
}

/** The line that closes `npm test`. */
export function closingLine({ passed, failed, skipped }: Omit<Counts, 'failures'>): string {
  const ran = `${passed} passed, ${failed} failed`;
  return skipped > 0 ? `${ran}, ${skipped} skipped` : ran;
}
