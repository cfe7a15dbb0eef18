/**
 * The interface on SQLite and PostgreSQL, with one and two processes, with and without Redis, in every pair of these.
 * With two processes, consecutive requests alternate between them. `own-server.test.ts` covers SQLite without Redis.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Admin } from '../harness/admin.ts';
import { AlternatingProxy } from '../harness/alternating-proxy.ts';
import {
  type Deployment,
  describeDeployments,
  postgresDeployments,
  type Stores,
  sharedServers,
} from '../harness/deployments.ts';
import { highLimits } from '../harness/environment.ts';
import { httpTransport, TestClient } from '../harness/test-client.ts';
import { type Json, onceStarted, type TestServer } from '../harness/test-server.ts';
import { callEveryEndpoint } from './every-endpoint.ts';
import { ownServerCases } from './own-server-cases.ts';

const combinations: readonly Deployment[] = [
  { database: 'SQLite', processes: 1, withRedis: true },
  ...postgresDeployments.filter(({ processes, withRedis }) => processes === 2 || !withRedis),
];

describeDeployments(combinations, (combination, stores) => {
  const { server, proxy } = startCombination(combination, stores);

  it('has every endpoint, each with exactly the documented response', () => callEveryEndpoint(server));

  ownServerCases(server);

  it('handles requests in all of its processes', () => {
    expect(proxy.counts).toHaveLength(combination.processes);
    for (const count of proxy.counts) expect(count).toBeGreaterThan(20);
  });
});

/** Starts the combination before the tests of the block, and stops it after them. */
function startCombination(combination: Deployment, stores: Stores) {
  const shared = sharedServers(combination, stores, highLimits);
  let proxy: AlternatingProxy | undefined;
  let server: ReturnType<typeof serverAt> | undefined;
  beforeAll(async () => {
    proxy = await AlternatingProxy.start(shared.servers.map(({ url }) => url));
    server = serverAt(proxy, shared.admin);
  });
  afterAll(() => proxy?.stop());
  return { server: onceStarted(() => server), proxy: onceStarted(() => proxy) };
}

/** Returns the servers behind the proxy as one server. */
function serverAt(proxy: AlternatingProxy, admin: Admin): TestServer & { readonly url: string } {
  const { call, request } = new TestClient(httpTransport(proxy.url));
  const runAdmin = async (...words: string[]) => {
    const result = await admin.json<Json>(words);
    proxy.noteChange();
    return result;
  };
  return { dataFolder: admin.folder, url: proxy.url, call, request, admin: runAdmin, now: () => Date.now() };
}
