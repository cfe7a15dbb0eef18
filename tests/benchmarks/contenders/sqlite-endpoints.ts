/** The endpoints of the service on SQLite, and the bare routes that they are compared with. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiRoot, type EndpointName, endpoints } from '../../../shared/api/endpoints.ts';
import type { BenchRun } from '../bench-run.ts';
import type { Load } from '../load/load.ts';
import { measureLoads } from '../load/measure-load.ts';
import type { Contender } from '../measurement.ts';
import { insertIntoSqlite, seedDatabase } from '../seed/seed-database.ts';
import { apiKeyOf, memberRows } from '../seed/seeded-accounts.ts';
import { type LoadedServer, startLatchkey, startProgram } from './server-processes.ts';

/** So many API keys are validated in turn. */
export const keyCount = 100_000;
/** So many accounts send requests with an access token in turn. */
const signedInCount = 10_000;

export type Installation = { readonly server: LoadedServer; readonly accessTokens: readonly string[] };

export function sqliteEndpoints(run: BenchRun): Contender[] {
  const bare = run.once(() => startProgram(run, 'bare-server.ts'));
  const keyLimit = run.once(() => {
    const file = join(run.newFolder(), 'keys');
    writeFileSync(file, seededKeys().join('\n'));
    return startProgram(run, 'limit-server.ts', ['keys', file]);
  });
  const installation = run.once(() => startInstallation(run));
  const common = { seconds: run.effort.seconds, connections: run.effort.connections, method: 'POST' } as const;
  const keyRequests = seededKeys().map((key) => ({ body: JSON.stringify({ api_key: key }) }));

  const contender = (
    name: string,
    server: () => Promise<LoadedServer>,
    load: Omit<Load, 'url' | 'seconds' | 'connections' | 'method'> & { path: string },
  ): Contender => ({
    name,
    group: 'sqlite',
    async measure() {
      const { url, pid } = await server();
      return (await measureLoads([{ pid, load: { ...common, ...load, url: new URL(load.path, url).href } }])).sample;
    },
  });

  return [
    contender('bare route', bare, { path: '/', requests: keyRequests.slice(0, 1), marker: '"success":true' }),
    contender('key limit route', keyLimit, { path: '/key', requests: keyRequests, marker: '"valid":true' }),
    contender('key validation', async () => (await installation()).server, {
      path: pathOf('validateApiKey'),
      requests: keyRequests,
      marker: '"valid":true',
    }),
  ];
}

function seededKeys(): string[] {
  return Array.from({ length: keyCount }, (_, number) => apiKeyOf(number));
}

export function pathOf(endpoint: EndpointName): string {
  return apiRoot + endpoints[endpoint].path;
}

async function startInstallation(run: BenchRun): Promise<Installation> {
  run.tell(`seeding ${keyCount} accounts`);
  const dataFolder = run.newFolder();
  const settings = { LATCHKEY_DATA: dataFolder };
  const plan = { accounts: keyCount, accessTokens: signedInCount, rowsOf: memberRows };
  const { accessTokens } = await seedDatabase(settings, plan, insertIntoSqlite(dataFolder));
  return { server: await startLatchkey(run, settings), accessTokens };
}
