/** How vitest runs the tests of one slice while Stryker mutates it: `MUTATION_TESTS` lists their globs. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longTests } from '../run/long-tests.ts';

const globs = (process.env.MUTATION_TESTS ?? '').split(',');

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: globs.filter((glob) => !glob.startsWith('!')),
    exclude: [
      ...longTests.filter((path) => !globs.includes(path)),
      ...globs.flatMap((glob) => (glob.startsWith('!') ? glob.slice(1) : [])),
    ],
    environment: 'node',
    // Stryker ends what takes longer than without a mutant.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 15_000 } },
    isolate: false,
  },
});
