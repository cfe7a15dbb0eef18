/** Row 20 of the matrix: without any network but loopback, suites that use every part of the server pass. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { childEnvironment, repository } from '../harness/environment.ts';
import { reportFigures } from './matrix-run.ts';

const row = 20;
const alone = 'ip link set lo up && exec "$0" "$@"';
const canUnshare = spawnSync('unshare', ['--net', 'sh', '-c', alone, 'true']).status === 0;
const suites = [
  'tests/server/http/routes.test.ts',
  'tests/server/audit/every-change.test.ts',
  'tests/conformance/own-server.test.ts',
  'tests/electron/licensing/licensing-client.test.ts',
];

it.skipIf(!canUnshare)('every endpoint and the client work without a network', { timeout: 180_000 }, () => {
  const runner = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/vitest.config.ts'];
  const words = ['--net', 'sh', '-c', alone, ...runner, ...suites];
  const { status, stdout, stderr } = spawnSync('unshare', words, {
    cwd: repository,
    env: childEnvironment({ NO_COLOR: '1' }),
    encoding: 'utf8',
  });
  expect(status, `${stdout}${stderr}`.slice(-4000)).toBe(0);
  reportFigures(row, {
    amount: `${suites.length} suites`,
    figures: { tests: /Tests\s+(\d+) passed/.exec(stdout)?.[1] ?? '' },
  });
});
