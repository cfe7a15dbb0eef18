/** The closing line of `npm test` tells the truth, and what it leaves out exists. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { longTests } from './long-tests.ts';
import { closingLine, countPlaywright, countVitest } from './suites.ts';

describe('the counts of a suite', () => {
  it('hold a test file that did not load as a failure', () => {
    const report = {
      numPassedTests: 3,
      numFailedTests: 0,
      numPendingTests: 1,
      numTodoTests: 0,
      testResults: [
        { status: 'passed', assertionResults: [{ status: 'passed' }] },
        { status: 'failed', assertionResults: [] },
      ],
    };
    expect(countVitest(report)).toEqual({ passed: 3, failed: 1, skipped: 1 });
  });

  it('hold a flaky spec and an error outside of any spec as failures', () => {
    const report = { stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 0 }, errors: [{}] };
    expect(countPlaywright(report)).toEqual({ passed: 5, failed: 3, skipped: 0 });
  });
});

it.each(longTests)('%s, which the quick run leaves out, exists', (file) => {
  expect(existsSync(join(import.meta.dirname, '../..', file))).toBe(true);
});

describe('the closing line', () => {
  it('names what was skipped only where something was', () => {
    expect(closingLine({ passed: 2, failed: 0, skipped: 0 })).toBe('2 passed, 0 failed');
    expect(closingLine({ passed: 2, failed: 1, skipped: 3 })).toBe('2 passed, 1 failed, 3 skipped');
  });
});
