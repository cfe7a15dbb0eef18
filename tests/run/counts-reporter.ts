/**
 * Writes what Vitest ran, as `Counts`, to the file named in VITEST_COUNTS. Vitest's own JSON report omits the reason
 * when a `beforeAll` or `afterAll` fails.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';
import { type Counts, describeFailure } from './suites.ts';

type TestError = { readonly message: string; readonly stack?: string };

export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly TestError[]): void {
    const file = process.env.VITEST_COUNTS;
    if (file === undefined) throw new Error('VITEST_COUNTS names the file that the counts are written to.');
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const failedTests = inState('failed').map((test) => describe(test, test.result().errors));
    const failedGroups = modules
      .flatMap((module) => [module, ...module.children.allSuites()])
      .flatMap((group) => (group.errors().length > 0 ? [describe(group, group.errors())] : []));
    const outside = unhandledErrors.map((error) => describeFailure('outside of any test', error.stack));
    const failures = [...failedTests, ...failedGroups, ...outside];
    const passed = inState('passed').length;
    const counts: Counts = { passed, failed: failures.length, skipped: inState('skipped').length, failures };
    writeFileSync(file, JSON.stringify(counts));
  }
}

function describe(task: TestCase | TestSuite | TestModule, errors: readonly TestError[] = []): string {
  const module = relative('', task.type === 'module' ? task.moduleId : task.module.moduleId);
  const name = task.type === 'module' ? module : `${module} › ${task.fullName}`;
  return describeFailure(name, errors.map(({ message, stack }) => stack ?? message).join('\n'));
}
