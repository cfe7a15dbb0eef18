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
        { name: 'a.test.ts', status: 'passed', message: '', assertionResults: [{ status: 'passed' }] },
        { name: 'b.test.ts', status: 'failed', message: 'Cannot find module', assertionResults: [] },
      ],
    };
    const failures = ['b.test.ts\n    Cannot find module'];
    expect(countVitest(report)).toEqual({ passed: 3, failed: 1, skipped: 1, failures });
  });

  it('name each test that failed, with its reason', () => {
    const failed = { status: 'failed', fullName: 'a key is replaced', failureMessages: ['expected 1\nto be 2'] };
    const testResults = [{ name: 'a.test.ts', status: 'failed', message: '', assertionResults: [failed] }];
    const report = { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0, testResults };
    expect(countVitest(report).failures).toEqual(['a.test.ts › a key is replaced\n    expected 1\n    to be 2']);
  });

  it('hold a flaky spec and an error outside of any spec as failures', () => {
    const flaky = { status: 'flaky', results: [{ error: { message: '\u001b[31mtoo late\u001b[39m' } }, {}] };
    const report = {
      suites: [{ specs: [], suites: [{ specs: [{ title: 'signs in', file: 'a.spec.ts', line: 7, tests: [flaky] }] }] }],
      stats: { expected: 5, unexpected: 0, flaky: 1, skipped: 0 },
      errors: [{ message: 'no browser' }],
    };
    const failures = ['a.spec.ts:7 › signs in\n    too late', 'outside of any spec\n    no browser'];
    expect(countPlaywright(report)).toEqual({ passed: 5, failed: 2, skipped: 0, failures });
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
