/** Row 20 of the matrix: suites that use every part of the server pass without any network but loopback. */
import { expect, it } from 'vitest';
import { canHaveOwnNetwork, testInOwnNetwork } from '../harness/own-network.ts';
import { reportFigures } from './matrix-run.ts';

const row = 20;
/**
 * Folders without their slowest tests: every endpoint, the client with its real transport, and everything that connects
 * to another program. The other folders' tests use the same code without a socket.
 */
const suites = [
  'tests/conformance',
  'tests/electron/platform',
  'tests/server/billing',
  'tests/server/http/routes.test.ts',
  'tests/server/mail',
  'tests/server/oidc',
  'tests/server/updates',
  'tests/server/webhooks',
];

it.skipIf(!canHaveOwnNetwork)('every endpoint and the client work without a network', { timeout: 400_000 }, () => {
  const { status, stdout, stderr } = testInOwnNetwork(suites, { settings: { TEST_QUICK: '1' } });
  expect(status, `${stdout}${stderr}`.slice(-4000)).toBe(0);
  reportFigures(row, {
    amount: `${suites.length} suites`,
    figures: { tests: /Tests\s+(\d+) passed/.exec(stdout)?.[1] ?? '' },
  });
});
