/** The suites of `npm test`, and how their reports are counted. */
import { stripVTControlCharacters } from 'node:util';

export type Counts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /**
   * Failures with the first lines of their reasons, to be repeated at the end of the log, which
   * even a truncated log still has.
   */
  readonly failures: readonly string[];
};

export type Suite = {
  readonly name: string;
  /** Command, run with the project's own Node; `REPORT` stands for the path of the report. */
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

/** Creates the suite of one project of `tests/vitest.config.ts`. */
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

/** Counts specs; a flaky spec counts as failed, and so does an error outside of any spec. */
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

/** Returns the name of a failure, followed by the first lines of its reason, which may be long and colored. */
export function describeFailure(name: string, reason = ''): string {
  const lines = stripVTControlCharacters(reason).split('\n');
  return [name, ...lines.slice(0, 12).map((line) => `    ${line}`)].join('\n');
}

/** Returns the closing line of `npm test`. */
export function closingLine({ passed, failed, skipped }: Omit<Counts, 'failures'>): string {
  const ran = `${passed} passed, ${failed} failed`;
  return skipped > 0 ? `${ran}, ${skipped} skipped` : ran;
}
