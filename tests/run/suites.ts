/** The suites of `npm test`, and how each one's report is counted. */

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

export type Suite = {
  readonly name: string;
  /** Run with the project's own Node; `REPORT` stands for the path of the report. */
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly count: (report: unknown) => Counts;
};

const playwright = 'node_modules/@playwright/test/cli.js';

export const suites: readonly Suite[] = [
  {
    name: 'unit, server and faults',
    command: [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'tests/vitest.config.ts',
      '--reporter=default',
      '--reporter=json',
      '--outputFile.json=REPORT',
    ],
    count: countVitest,
  },
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
];

type VitestReport = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
};

/** Counts tests; a file that failed without a failed test in it (it did not load, say) counts as one failure. */
export function countVitest(report: unknown): Counts {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = report as VitestReport;
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  return { passed: numPassedTests, failed: numFailedTests + brokenFiles, skipped: numPendingTests + numTodoTests };
}

type PlaywrightReport = {
  readonly stats: {
    readonly expected: number;
    readonly unexpected: number;
    readonly flaky: number;
    readonly skipped: number;
  };
  readonly errors: readonly unknown[];
};

/** Counts specs; a flaky one has failed, and so has an error outside of any spec. */
export function countPlaywright(report: unknown): Counts {
  const { stats, errors } = report as PlaywrightReport;
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length, skipped: stats.skipped };
}

/** The line that closes `npm test`. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  const ran = `${passed} passed, ${failed} failed`;
  return skipped > 0 ? `${ran}, ${skipped} skipped` : ran;
}
