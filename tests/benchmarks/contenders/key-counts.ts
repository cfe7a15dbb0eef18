/** Key validation with more and more accounts: the duration does not depend on their number. */
import type { BenchRun } from '../bench-run.ts';
import type { Contender } from '../measurement.ts';
import { insertIntoSqlite } from '../seed/insert-rows.ts';
import { keyCount } from '../seed/installation.ts';
import { seedDatabase } from '../seed/seed-database.ts';
import { apiKeyOf, keyRows } from '../seed/seeded-accounts.ts';
import { keyBody } from './bare-routes.ts';
import { httpContender, numbered, pathOf } from './http-contender.ts';
import { startLatchkey } from './server-processes.ts';

const million = 1_000_000;

/** Seeds a SQLite database with a million accounts, and returns its data folder. */
export function seedMillionAccounts(run: BenchRun): () => Promise<string> {
  return run.once(() => seedAccounts(run, million));
}

async function seedAccounts(run: BenchRun, accounts: number): Promise<string> {
  run.tell(`seeding ${accounts} accounts`);
  const folder = run.newFolder();
  const plan = { accounts, accessTokens: 0, rowsOf: keyRows };
  await seedDatabase({ LATCHKEY_DATA: folder }, plan, insertIntoSqlite(folder));
  return folder;
}

export function keyCounts(run: BenchRun, millionAccounts: () => Promise<string>): Contender[] {
  const add = (keys: number, inWords: string, seed = run.once(() => seedAccounts(run, keys))) => {
    const server = run.once(async () => startLatchkey(run, { LATCHKEY_DATA: await seed() }));
    const sent = Math.min(keys, keyCount);
    const step = keys / sent;
    const keysFrom = async (first: number) => ({
      path: pathOf('validateApiKey'),
      // Spread over the whole table.
      requests: numbered(0, sent, (index) => ({ body: keyBody(apiKeyOf(first + index * step)) })),
      marker: '"valid":true',
    });
    const common = { group: 'key counts', onlyFull: keys > million, server };
    const name = `key validation among ${inWords} keys`;
    return [
      httpContender(run, { ...common, name, prepare: () => keysFrom(0), load: () => keysFrom(0) }),
      // Each round uses keys that no other has sent.
      ...(step > run.effort.rounds + 1
        ? [httpContender(run, { ...common, name: `first ${name}`, load: (round) => keysFrom(round + 1) })]
        : []),
    ];
  };
  return [
    ...add(10_000, '10 thousand'),
    ...add(million, '1 million', millionAccounts),
    ...add(10 * million, '10 million'),
  ];
}
