/**
 * PostgreSQL crashes, is down or stops responding while one server is in use, or two with Redis: requests get 503 with
 * Retry-After, the servers recover without a restart, and what was acknowledged is there.
 */
import { it } from 'vitest';
import { Admin } from '../harness/admin.ts';
import { describeDeployments, postgresDeployments, startProcesses } from '../harness/deployments.ts';
import { highLimits } from '../harness/environment.ts';
import { startHttpServer } from '../harness/http-server.ts';
import { query } from '../harness/postgres.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { temporaryFolder } from '../harness/test-admin.ts';
import { Clients } from './clients.ts';

/** Rate limits are counted in PostgreSQL or in Redis, whatever the number of processes. */
const deployments = postgresDeployments.filter(({ processes, withRedis }) => withRedis === (processes === 2));

describeDeployments(deployments, (deployment, stores) => {
  it('each process recovers when PostgreSQL crashes, is down or stops responding', async () => {
    const settings = await stores.settingsFor(deployment);
    const url = settings.DATABASE_URL ?? '';
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    const admin = new Admin(temporaryFolder(), {
      ...highLimits,
      ...settings,
      DATABASE_URL: proxy.through(url),
      LATCHKEY_LOG_LEVEL: 'silent',
    });
    const servers = await startProcesses(deployment, () => startHttpServer(admin));
    const clients = await Clients.start(servers);
    await clients.succeed();

    await stores.postgres.crash();
    await clients.fail();
    await stores.postgres.start();
    await clients.succeed();

    await stores.postgres.crash();
    await stores.postgres.start();
    await clients.succeed();

    proxy.pause();
    // Only what is under way on these connections: the next requests get new ones.
    await clients.fail(1);
    await clients.succeed();

    proxy.block();
    await clients.fail();
    await proxy.restore();
    await clients.succeed();
    await clients.expectAllThere((text) => query(url, text));
  });
});
