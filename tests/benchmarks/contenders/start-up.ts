/** The startup time of programs, compared with a Node that does nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { apiRoot, endpoints } from '../../../shared/api/endpoints.ts';
import { childEnvironment, repository, type Settings } from '../../harness/environment.ts';
import { startServer } from '../../harness/start-server.ts';
import { type Contender, type Sample, spreadOf, WrongResponse } from '../measurement.ts';
import { apiKeyOf } from '../seed/seeded-accounts.ts';
import { keyBody } from './bare-routes.ts';
import { launcher, serverWords } from './server-processes.ts';

const group = 'start';
const startsPerRound = 3;

export function startUp(millionAccounts: () => Promise<string>): Contender[] {
  return [
    { name: 'node -e 0', group, measure: () => medianOf(async () => void (await runNode(['-e', '0']))) },
    {
      name: 'start to first answer',
      group,
      measure: async () => {
        const dataFolder = await millionAccounts();
        return medianOf((stopAfterwards) => startAndAsk(dataFolder, stopAfterwards));
      },
    },
    {
      name: 'admin command',
      group,
      measure: async () => {
        const settings = { LATCHKEY_DATA: await millionAccounts() };
        return medianOf(async () => {
          const plans = await runNode([launcher, 'server/admin/admin.ts', 'plan', 'list', '--json'], settings);
          if (!plans.includes('"standard"')) throw new WrongResponse(`"plan list" printed ${plans}`);
        });
      },
    },
  ];
}

/** Returns the median of a few runs; what they leave running is stopped outside the measured time. */
async function medianOf(work: (afterwards: (end: () => Promise<unknown>) => void) => Promise<void>): Promise<Sample> {
  const durations: number[] = [];
  for (let count = 0; count < startsPerRound; count++) {
    const ends: (() => Promise<unknown>)[] = [];
    const startedAt = performance.now();
    await work((end) => ends.push(end));
    durations.push(performance.now() - startedAt);
    for (const end of ends) await end();
  }
  return { milliseconds: spreadOf(durations).median };
}

async function startAndAsk(dataFolder: string, afterwards: (end: () => Promise<unknown>) => void): Promise<void> {
  const [program, ...args] = serverWords;
  const options = { program, args, log: 'discard' } as const;
  const server = await startServer({ LATCHKEY_DATA: dataFolder, NODE_COMPILE_CACHE: '' }, options);
  afterwards(() => server.stop());
  const response = await fetch(server.url + apiRoot + endpoints.validateApiKey.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: keyBody(apiKeyOf(0)),
  });
  const answer = await response.text();
  if (!answer.includes('"valid":true')) throw new WrongResponse(`the first answer was ${answer}`);
}

/** Returns the output. The compile cache of the tests would distort the result, so each program has its own or none. */
async function runNode(words: readonly string[], settings: Settings = {}): Promise<string> {
  const env = childEnvironment({ NODE_COMPILE_CACHE: '', ...settings });
  const child = spawn(process.execPath, words, { cwd: repository, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`node ${words.join(' ')} ended with ${code}`);
  return output;
}
