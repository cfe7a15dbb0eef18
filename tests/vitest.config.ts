/** How vitest finds and runs the suites that need no window. */
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { isQuick, longTests } from './run/long-tests.ts';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isQuick ? longTests : [])],
    environment: 'node',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What the server does each second may take longer than the second that is the default here.
    expect: { poll: { timeout: 10_000 } },
    // Most suites wait for processes and sockets: one worker a core leaves the machine idle.
    maxWorkers: 3,
  },
});
