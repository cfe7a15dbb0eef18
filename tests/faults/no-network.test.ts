/** Row 20 of the matrix: without any network but loopback, suites that use every part of the server pass. */
import { expect, it } from 'vitest';
import { canHaveOwnNetwork, testInOwnNetwork } from '../harness/own-network.ts';
import { reportFigures } from './matrix-run.ts';

const row = 20;
/** Each folder, without what takes longest; all of a server but what starts other programs. */
const suites = [
  'tests/conformance',
  'tests/electron/licensing',
  'tests/electron/platform',
  'tests/security',
  'tests/server/accounts',
  'tests/server/audit',
  'tests/server/billing',
  'tests/server/http/routes.test.ts',
  'tests/server/leases',
  'tests/server/licenses',
  'tests/server/mail',
  'tests/server/oidc',
  'tests/server/updates',
  'tests/server/webhooks',
  'tests/shared',
];

it.skipIf(!canHaveOwnNetwork)('every endpoint and the client work without a network', { timeout: 400_000 }, () => {
  const { status, stdout, stderr } = testInOwnNetwork(suites, { settings: { TEST_QUICK: '1' } });
  expect(status, `${stdout}${stderr}`.slice(-4000)).toBe(0);
  reportFigures(row, {
    amount: `${suites.length} suites`,
    figures: { tests: /Tests\s+(\d+) passed/.exec(stdout)?.[1] ?? '' },
  });
});
