/** Sign-ins compared with the bare hash, and their effect on all other requests. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchRun } from '../bench-run.ts';
import { measureLoads } from '../load/measure-load.ts';
import { runLoad } from '../load/run-load.ts';
import { waitUntilIdle } from '../measured-process.ts';
import type { Contender, Sample } from '../measurement.ts';
import { busyAccounts, type Installation } from '../seed/installation.ts';
import { apiKeyOf } from '../seed/seeded-accounts.ts';
import { keyBody } from './bare-routes.ts';
import { numbered, pathOf, toLoad } from './http-contender.ts';
import { signInRequest } from './sqlite-endpoints.ts';

const group = 'sign-in';
const program = join(import.meta.dirname, '../programs/argon2-hashes.ts');
/** Each sign-in waits for its turn to be hashed; those still waiting at the end of a load do not count. */
export const signInConnections = 16;
/** Few enough to leave most of a core to the hashes. */
const othersConnections = 4;

export function signIns(run: BenchRun, installation: () => Promise<Installation>): Contender[] {
  const { seconds } = run.effort;
  const hashBare = async (): Promise<Sample> => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, String(seconds)]);
    return JSON.parse(stdout) as Sample;
  };
  const signIn = async () => {
    const { server } = await installation();
    const requests = numbered(busyAccounts.first, busyAccounts.count, signInRequest);
    const part = { path: pathOf('login'), requests, marker: '"access_token":"', connections: signInConnections };
    return { pid: server.pid, load: toLoad(run, server.url, part) };
  };
  /** Measures only the latencies, since the CPU time is mostly that of the hashes. */
  const validateBeside = async (work: () => Promise<unknown>): Promise<Sample> => {
    const { server } = await installation();
    const requests = numbered(0, busyAccounts.count, (number) => ({ body: keyBody(apiKeyOf(number)) }));
    const part = { path: pathOf('validateApiKey'), requests, marker: '"valid":true', connections: othersConnections };
    await waitUntilIdle(server.pid);
    const [{ p50Ms, p99Ms, p999Ms }] = await Promise.all([runLoad(toLoad(run, server.url, part)), work()]);
    return { p50Ms, p99Ms, p999Ms };
  };
  return [
    { name: 'bare argon2id', group, measure: hashBare },
    { name: 'sign-in', group, measure: async () => measureLoads([await signIn()]) },
    { name: 'others beside bare argon2id', group, measure: () => validateBeside(hashBare) },
    {
      name: 'others beside sign-ins',
      group,
      measure: async () => {
        const { load } = await signIn();
        return validateBeside(() => runLoad(load));
      },
    },
  ];
}
