/** Row 20 of the matrix: without any network but loopback, suites that use every part of the server pass. */
import { expect, it } from 'vitest';
import { canHaveOwnNetwork, testInOwnNetwork } from '../harness/own-network.ts';
import { reportFigures } from './matrix-run.ts';

const row = 20;
const suites = [
  'tests/server/http/routes.test.ts',
  'tests/server/audit/every-change.test.ts',
  'tests/conformance/own-server.test.ts',
  'tests/electron/licensing/licensing-client.test.ts',
];

it.skipIf(!canHaveOwnNetwork)('every endpoint and the client work without a network', { timeout: 180_000 }, () => {
  const { status, stdout, stderr } = testInOwnNetwork(suites);
  expect(status, `${stdout}${stderr}`.slice(-4000)).toBe(0);
  reportFigures(row, {
    amount: `${suites.length} suites`,
    figures: { tests: /Tests\s+(\d+) passed/.exec(stdout)?.[1] ?? '' },
  });
});
