/** The parts of the code that are mutated, each with the tests that must detect it. */

export type Slice = {
  readonly name: string;
  /** Globs of files. */
  readonly mutate: readonly string[];
  /**
   * Globs of test files, with `!` before excluded ones. Tests that run only in `npm test -- --all` take long, and run
   * only if named by path.
   */
  readonly tests: readonly string[];
};

export const slices: readonly Slice[] = [
  {
    name: 'shared',
    mutate: ['shared/lease.ts'],
    tests: [
      'tests/shared/lease.test.ts',
      'tests/electron/licensing/lease.test.ts',
      'tests/electron/licensing/lease-client.test.ts',
      'tests/electron/licensing/lease-import.test.ts',
    ],
  },
  // Rules are pure functions: their own tests, which need no server, must detect every change.
  { name: 'rules', mutate: ['server/**/*.rules.ts'], tests: ['tests/server/**/*.rules.test.ts'] },
  {
    name: 'entitlements',
    mutate: ['server/entitlements/*.ts', '!server/**/*.rules.ts'],
    tests: ['tests/server/entitlements/*.test.ts', 'tests/server/heartbeats/*.test.ts'],
  },
  {
    name: 'auth',
    mutate: ['server/auth/*.ts', '!server/**/*.rules.ts'],
    tests: [
      'tests/server/auth/*.test.ts',
      'tests/server/auth/invitation.test.ts',
      'tests/server/auth/own-account.test.ts',
      'tests/server/auth/password-guessing.test.ts',
      'tests/server/admin-api/invitations.test.ts',
      'tests/server/audit/refusals.test.ts',
      'tests/server/keys/rotation.test.ts',
      'tests/server/licenses/unused-licenses.test.ts',
      'tests/server/mail/email-address.test.ts',
      'tests/server/mail/email-change-notice.test.ts',
      'tests/server/mail/mail-limits.test.ts',
      'tests/server/mail/password-reset.test.ts',
      'tests/server/staff/added-account.test.ts',
      'tests/server/staff/removed-member.test.ts',
      'tests/server/staff/staff-password.test.ts',
    ],
  },
  {
    name: 'billing',
    mutate: ['server/billing/*.ts', '!server/**/*.rules.ts'],
    tests: [
      'tests/server/billing/*.test.ts',
      'tests/server/billing/refunds.test.ts',
      'tests/server/billing/simultaneous-events.test.ts',
      'tests/server/licenses/refunded-license.test.ts',
    ],
  },
  {
    name: 'licensing',
    mutate: ['electron/licensing/*.ts'],
    // Without the histories, which would run for each change that nothing else detects.
    tests: ['tests/electron/licensing/*.test.ts', '!tests/electron/licensing/*-histories.test.ts'],
  },
];
