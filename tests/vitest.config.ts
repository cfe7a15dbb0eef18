/** How vitest finds and runs the suites that need no window. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { isQuick, longTests } from './run/long-tests.ts';
import { LongestFirst } from './run/longest-first.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const exclude = [...configDefaults.exclude, ...(isQuick ? longTests : [])];

/** Test files that mock a module, or measure the process that they run in, get a process of their own. */
const isolated = [
  'tests/faults/**/*.test.ts',
  ...globSync('tests/**/*.test.ts', { cwd: root }).filter((path) =>
    readFileSync(join(root, path), 'utf8').includes('vi.mock('),
  ),
];

export default defineConfig({
  root,
  test: {
    environment: 'node',
    // These limits only end what hangs: a machine that is busy or slow may take ten times as long as an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Most suites wait for processes and sockets: one worker a core leaves the machine idle.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Files that share a process load the server once: that is a third of the time.
      {
        extends: true,
        test: {
          name: 'shared process',
          include: ['tests/**/*.test.ts'],
          exclude: [...exclude, ...isolated],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'own process', include: isolated, exclude, isolate: true } },
    ],
  },
});
