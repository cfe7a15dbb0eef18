/** Runs programs in a separate network that has only loopback. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { childEnvironment, repository, type Settings } from './environment.ts';

const up = 'ip link set lo up';

export type OwnNetworkOptions = {
  readonly settings?: Settings;
  /** Shell command to run there first. */
  readonly first?: string;
};

/** Runs a program. `words` are options of Node, and the program with its arguments. */
export function runInOwnNetwork(
  words: readonly string[],
  { settings = {}, first = up }: OwnNetworkOptions = {},
): SpawnSyncReturns<string> {
  // Without a compile cache, Node writes no files of its own, which tests that watch for writes would find.
  const { NODE_COMPILE_CACHE: _, ...env } = childEnvironment({ NO_COLOR: '1', ...settings });
  return spawnSync(
    'unshare',
    ['--net', 'sh', '-c', `${up} && ${first} && exec "$0" "$@"`, process.execPath, ...words],
    {
      cwd: repository,
      env,
      encoding: 'utf8',
    },
  );
}

/** Runs test files with Vitest. */
export function testInOwnNetwork(words: readonly string[], options: OwnNetworkOptions = {}): SpawnSyncReturns<string> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/vitest.config.ts'];
  return runInOwnNetwork([...vitest, ...words], options);
}

/** True if the system lets this process create a network. */
export const canHaveOwnNetwork = runInOwnNetwork(['--version']).status === 0;
