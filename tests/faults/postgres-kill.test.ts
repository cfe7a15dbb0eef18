/**
 * kill -9 of a server on PostgreSQL during writes, with one and two processes: what was acknowledged is there,
 * immediately in the other process, and in a restarted one.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import {
  type Deployment,
  describeDeployments,
  postgresWithoutRedis,
  type Stores,
  sharedServers,
} from '../harness/deployments.ts';
import type { HttpServer } from '../harness/http-server.ts';
import { stringIn } from '../harness/test-client.ts';
import type { Json } from '../harness/test-server.ts';
import { goodPassword } from '../harness/users.ts';
import {
  AcknowledgedWrites,
  caller,
  expectAllThere,
  expectSessionsThere,
  type Owner,
  refreshSession,
  type Session,
  writeUntilGone,
} from './acknowledged-writes.ts';

const kills = 3;

describeDeployments(postgresWithoutRedis, killAndCheck);

function killAndCheck(deployment: Deployment, stores: Stores): void {
  // With a trial, every new account may have an API key.
  const shared = sharedServers(deployment, stores, { LATCHKEY_TRIAL_PLAN: 'standard' });
  let servers: readonly HttpServer[] = [];
  let owner: Owner;

  beforeAll(async () => {
    ({ servers } = shared);
    const email = 'owner@example.com';
    const { body } = await call('signup', { body: { email, password: goodPassword } });
    const words = ['license', 'issue', '--email', email, '--max-activations', '1000000'];
    const issued = await shared.admin.json<Json>(words);
    owner = { token: stringIn(body, 'access_token'), licenseKey: stringIn(issued, 'license_key') };
  });

  /** Calls the first server, which is the next one to be killed. */
  const call: ReturnType<typeof caller> = (...request) => caller(servers[0]?.url ?? '')(...request);

  const startSession = async (): Promise<Session> => {
    const { body } = await call('login', { body: { email: 'owner@example.com', password: goodPassword } });
    return { token: stringIn(body, 'refresh_token'), idempotencyKey: randomUUID() };
  };

  it.each(Array.from({ length: kills }, (_, index) => index + 1))(
    'every acknowledged write is there after kill %i',
    async () => {
      const [killed, ...others] = servers;
      if (killed === undefined) throw new Error('there is no server');
      const sessions = [await startSession(), await startSession()];
      const writes = new AcknowledgedWrites();
      const writing = writeUntilGone(killed.url, owner, sessions, writes);
      const enough = randomInt(20, 80);
      await expect.poll(() => writes.count(), { interval: 1 }).toBeGreaterThan(enough);
      expect((await killed.process.kill()).signal).toBe('SIGKILL');
      await writing;

      // PostgreSQL may still be ending a transaction of the killed server, for which others have to wait.
      const [other = await shared.start()] = others;
      servers = [other];
      await expectAllThere(other.url, owner, writes);
      await expectSessionsThere(other.url, writes);
      for (const session of sessions) await refreshSession(caller(other.url), session, writes);
      if (deployment.processes === 2) servers = [other, await shared.start()];
    },
  );
}
