/** Tests that the closing line of `npm test` is correct, and that the files it leaves out exist. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { repository } from '../harness/environment.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { longTests } from './long-tests.ts';
import { longest } from './longest-first.ts';
import { type Counts, closingLine, countPlaywright } from './suites.ts';

describe('the counts of a suite', () => {
  const folder = makeTemporaryFolder();
  afterAll(() => removeFolder(folder));

  it('include a failed hook and a file that did not load, as failures with their reasons', () => {
    const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.test.ts`), text);
    const vitest = pathToFileURL(join(repository, 'node_modules/vitest/dist/index.js'));
    const start = `import { beforeAll, describe, expect, it } from '${vitest}';`;
    write(
      'hook',
      `${start}\ndescribe('x', () => { beforeAll(() => { throw Error('no port'); }); it('y', () => {}); });`,
    );
    write('test', `${start}\nit('passes', () => {}); it('fails', () => expect(1).toBe(2));`);
    write('load', `import './not-there.ts';`);
    const file = join(folder, 'counts.json');
    const runner = join(repository, 'node_modules/vitest/vitest.mjs');
    const reporter = `--reporter=${join(import.meta.dirname, 'counts-reporter.ts')}`;
    const { status } = spawnSync(process.execPath, [runner, 'run', '--root', folder, reporter], {
      cwd: folder,
      env: { ...process.env, VITEST_COUNTS: file },
    });
    expect(status).toBe(1);
    const counts = JSON.parse(readFileSync(file, 'utf8')) as Counts;
    expect(counts).toMatchObject({ passed: 1, failed: 3, skipped: 1 });
    const [failed, ...groups] = counts.failures;
    expect(failed).toMatch(/^test\.test\.ts › fails\n.*expected 1 to be 2/);
    expect(groups.sort()).toStrictEqual([
      expect.stringMatching(/^hook\.test\.ts › x\n.*no port/),
      expect.stringMatching(/^load\.test\.ts\n.*not-there/),
    ]);
  });

  it('include a flaky spec and an error outside any spec as failures', () => {
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

it.each(longTests)('%s, which the quick run skips, exists', (file) => {
  expect(existsSync(join(import.meta.dirname, '../..', file))).toBe(true);
});

it.each(longest)('%s, which is started before others, exists', (file) => {
  expect(existsSync(join(import.meta.dirname, '../..', file))).toBe(true);
});

describe('the closing line', () => {
  it('mentions skipped tests only if there were any', () => {
    expect(closingLine({ passed: 2, failed: 0, skipped: 0 })).toBe('2 passed, 0 failed');
    expect(closingLine({ passed: 2, failed: 1, skipped: 3 })).toBe('2 passed, 1 failed, 3 skipped');
  });
});
