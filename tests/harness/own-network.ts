/** Runs programs with a network of their own, which has loopback only. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { childEnvironment, repository, type Settings } from './environment.ts';

const up = 'ip link set lo up';

export type OwnNetworkOptions = {
  readonly settings?: Settings;
  /** A command of the shell that runs there first. */
  readonly first?: string;
};

/** `words` are the options of Node and a program. */
export function runInOwnNetwork(
  words: readonly string[],
  { settings = {}, first = up }: OwnNetworkOptions = {},
): SpawnSyncReturns<string> {
  // Without its cache Node writes no files of its own, which tests that watch for writes would find.
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

/** Test files, by vitest. */
export function testInOwnNetwork(words: readonly string[], options: OwnNetworkOptions = {}): SpawnSyncReturns<string> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/vitest.config.ts'];
  return runInOwnNetwork([...vitest, ...words], options);
}

/** Where the system lets this process make one. */
export const canHaveOwnNetwork = runInOwnNetwork(['--version']).status === 0;
