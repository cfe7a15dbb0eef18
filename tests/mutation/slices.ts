/** The parts of the code that are mutated, each with the tests that must notice it. */

export type Slice = {
  readonly name: string;
  /** Globs of files. */
  readonly mutate: readonly string[];
  /** Globs of test files, with `!` before those that are left out; those of `npm test -- --all` alone are left out, as they take too long. */
  readonly tests: readonly string[];
};

export const slices: readonly Slice[] = [
  {
    name: 'shared',
    mutate: ['shared/lease.ts'],
    tests: ['tests/shared/lease.test.ts', 'tests/electron/licensing/lease.test.ts'],
  },
  // Rules are pure functions: their own tests, which need no server, must notice everything.
  { name: 'rules', mutate: ['server/**/*.rules.ts'], tests: ['tests/server/**/*.rules.test.ts'] },
  {
    name: 'entitlements',
    mutate: ['server/entitlements/*.ts', '!server/**/*.rules.ts'],
    tests: ['tests/server/entitlements/*.test.ts', 'tests/server/heartbeats/*.test.ts'],
  },
  { name: 'auth', mutate: ['server/auth/*.ts', '!server/**/*.rules.ts'], tests: ['tests/server/auth/*.test.ts'] },
  {
    name: 'billing',
    mutate: ['server/billing/*.ts', '!server/**/*.rules.ts'],
    tests: ['tests/server/billing/*.test.ts'],
  },
  {
    name: 'licensing',
    mutate: ['electron/licensing/*.ts'],
    // Without the histories, which would run for each change that nothing else notices.
    tests: ['tests/electron/licensing/*.test.ts', '!tests/electron/licensing/*-histories.test.ts'],
  },
];
