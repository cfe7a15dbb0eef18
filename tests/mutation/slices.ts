/** The parts of the code that are mutated, each with the tests that must detect it. */
import { join } from 'node:path';

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

/** Tests that take seconds. The histories of leases and clocks would take minutes and run for no slice. */
const slowTests = ['doctor-checks', 'lease-client', 'leaked-keys', 'support-file', 'updates', 'wrong-clock'];
const histories = ['lease-histories', 'lease-replays', 'trusted-time-histories'];

/** The tests of accounts and sessions, and those of other folders that sign in, invite or sign out, the long ones by path. */
const authTests = [
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
];

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
  ...Object.entries({
    'auth-accounts': ['account-deletion.service', 'auth.routes', 'auth.service', 'invitation.service'],
    'auth-passwords': [
      'email-change.service',
      'email-confirmation.service',
      'known-network.repository',
      'known-networks',
      'password-change.service',
      'password-check',
      'password-reset.service',
    ],
    'auth-sessions': [
      'access-token.service',
      'account-page.routes',
      'browser-session.repository',
      'browser-session.service',
      'reauthentication',
      'refresh-token.repository',
      'refresh-token.service',
      'session.service',
      'signed-in-user',
    ],
  }).map(([name, files]) => ({ name, mutate: files.map((file) => `server/auth/${file}.ts`), tests: authTests })),
  ...inFolder('server/billing', {
    'billing-events': {
      files: [
        'billing.service',
        'billing.repository',
        'billing.routes',
        'billing-event',
        'billing-event-list',
        'dead-letters',
      ],
      tests: [
        'billing-webhook',
        'dead-letters',
        'dead-letters-at-start',
        'reconciled-customers',
        'refunds',
        'whose-subscription',
        '../admin-api/webhooks',
      ],
    },
    'billing-subscriptions': {
      files: ['billing-event-handler', 'checkout-token.service', 'provisional-subscription'],
      tests: [
        'billing-webhook',
        'issued-licenses',
        'lemon-squeezy',
        'reconciled-buyers',
        'reconciliation',
        'refunds',
        'stripe',
        'whose-subscription',
      ],
    },
    'billing-payments': {
      files: ['paid-licenses', 'payment-handler', 'payment.repository'],
      tests: [
        'issued-licenses',
        'lemon-squeezy',
        'reconciled-buyers',
        'refunds',
        'whose-subscription',
        '../licenses/refunded-license',
      ],
    },
    'billing-stripe': {
      files: ['stripe', 'stripe-payments'],
      tests: ['refunds', 'stripe'],
    },
    'billing-other-providers': {
      files: ['billing-providers', 'lemon-squeezy', 'lemon-squeezy-payments', 'payload', 'standard-billing'],
      tests: ['billing-webhook', 'lemon-squeezy', 'reconciled-buyers', 'refunds', 'stripe'],
    },
    'billing-reconciliation-lists': {
      files: ['reconciliation-report', 'reconciliation.service', 'reported-subscription'],
      tests: ['reconciled-buyers', 'reconciliation'],
    },
    'billing-reconciliation-matching': {
      files: ['customer-states', 'reconciliation-decisions', 'reconciliation-matching'],
      tests: [
        'reconciled-buyers',
        'reconciled-customers',
        'reconciled-twice',
        'reconciliation',
        'reconciliation-corrections',
        'reconciliation-matching',
      ],
    },
    'billing-reconciliation-corrections': {
      files: ['reconciliation-corrections'],
      tests: [
        'reconciled-buyers',
        'reconciled-customers',
        'reconciled-twice',
        'reconciliation',
        'reconciliation-corrections',
      ],
    },
  }),
  ...ofLicensing({
    'licensing-time': { files: ['backoff', 'trusted-time'], slowTests: ['wrong-clock'] },
    'licensing-lease': { files: ['lease'], slowTests: ['lease-client'] },
    'licensing-lease-keys': {
      files: ['lease-account', 'lease-end', 'lease-keys', 'lease-renewal', 'lease-request'],
      slowTests: ['lease-client'],
    },
    'licensing-store': {
      files: [
        'cached-document',
        'change-notifier',
        'kept-document',
        'license-store',
        'serial-queue',
        'stored-document',
      ],
      slowTests: [],
    },
    'licensing-sync': { files: ['heartbeat', 'sync', 'warnings'], slowTests: ['lease-client'] },
    'licensing-calls': {
      files: ['api-client', 'failure', 'load-text', 'or-canceled', 'repeating-job'],
      only: ['api-client', 'api-response', 'failure', 'repeating-job'],
    },
    'licensing-answers': {
      files: ['answer-content', 'api-response', 'feature-texts', 'text-reader'],
      slowTests: ['leaked-keys', 'support-file'],
    },
    'licensing-server': { files: ['preferences', 'reachability', 'server-about', 'server-address'], slowTests: [] },
    'licensing-session': { files: ['access-token', 'ended-session', 'session'], slowTests: [] },
    'licensing-auth': { files: ['auth'], slowTests: ['lease-client'] },
    'licensing-account': { files: ['account', 'api-key', 'license-key-replacement'], slowTests: [] },
    'licensing-entitlement': { files: ['entitlement'], slowTests: [] },
    'licensing-why': { files: ['feature-gate', 'known-facts', 'why'], slowTests: ['support-file'] },
    'licensing-activation': { files: ['activation', 'device-license', 'device-name', 'device-rename'], slowTests: [] },
    'licensing-devices': { files: ['device-id', 'devices'], slowTests: [] },
    'licensing-leaked-keys': { files: ['key-scan', 'key-scanner', 'leaked-keys'], slowTests: ['leaked-keys'] },
    'licensing-updates': { files: ['updates'], only: ['update-offer', 'updates', 'updates-alone'] },
    'licensing-installers': { files: ['file-problem', 'installer', 'update-offer'], slowTests: ['updates'] },
    'licensing-doctor': { files: ['doctor', 'doctor-checks'], only: ['doctor', 'doctor-checks', 'doctor-rules'] },
    'licensing-doctor-rules': { files: ['doctor-rules'], slowTests: [] },
    'licensing-timeline': { files: ['timeline'], slowTests: ['support-file'] },
    'licensing-support': {
      files: ['activity-log', 'history', 'known-schedule', 'support-file'],
      slowTests: ['support-file'],
    },
    'licensing-client': {
      files: ['app-state-source', 'licensing-client', 'platform'],
      slowTests: ['leaked-keys', 'support-file', 'updates'],
    },
  }),
];

/** Parts of a folder that is too large for one run, each with its files and its tests by their names there. */
function inFolder(
  folder: string,
  parts: Readonly<Record<string, { readonly files: readonly string[]; readonly tests: readonly string[] }>>,
): Slice[] {
  return Object.entries(parts).map(([name, { files, tests }]) => ({
    name,
    mutate: files.map((file) => join(folder, `${file}.ts`)),
    tests: tests.map((file) => join('tests', folder, `${file}.test.ts`)),
  }));
}

type LicensingPart = {
  readonly files: readonly string[];
} & (
  | { readonly slowTests: readonly string[] }
  /** The tests of these files, if they suffice: a change that none of them notices then takes seconds, not minutes. */
  | { readonly only: readonly string[] }
);

/** Parts of the licensing client, each with its files and either all tests, with the slow ones that it needs, or its own. */
function ofLicensing(parts: Readonly<Record<string, LicensingPart>>): Slice[] {
  return Object.entries(parts).map(([name, part]) => ({
    name,
    mutate: part.files.map((file) => `electron/licensing/${file}.ts`),
    tests: 'only' in part ? part.only.map(testOf) : allTests(part.slowTests),
  }));
}

function allTests(needed: readonly string[]): string[] {
  return [
    'tests/electron/licensing/*.test.ts',
    // By path, because the tests that only `npm test -- --all` runs have to be named.
    ...needed.map(testOf),
    ...[...histories, ...slowTests.filter((test) => !needed.includes(test))].map((test) => `!${testOf(test)}`),
  ];
}

function testOf(name: string): string {
  return `tests/electron/licensing/${name}.test.ts`;
}
