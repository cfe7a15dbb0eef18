/**
 * PostgreSQL on three machines, as server/deploy/cluster configures it, and two servers under load. When the machine of
 * the primary is lost, requests get 503 with Retry-After until a standby has taken over, the servers recover without a
 * restart, and the new primary has what was acknowledged, with the rate counters in PostgreSQL and in Redis.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admin } from '../harness/admin.ts';
import type { Settings } from '../harness/environment.ts';
import { startHttpServer } from '../harness/http-server.ts';
import { findClusterPrograms, type MachineName, PostgresCluster } from '../harness/postgres-cluster.ts';
import { findRedis, startRedis, type TestRedis } from '../harness/redis.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { Clients } from './clients.ts';

const programs = findClusterPrograms();
const isMissing = 'missing' in programs;
const reason = isMissing ? ` (skipped: not installed: ${programs.missing.join(', ')})` : '';
const failoverTimeoutMs = 120_000;

describe.skipIf(isMissing)(`PostgreSQL on three machines${reason}`, { timeout: 300_000 }, () => {
  const redisProgram = findRedis();
  /** The servers of both tests have the same secrets. */
  let folder: string;
  let cluster: PostgresCluster;
  let redis: TestRedis | undefined;
  beforeAll(async () => {
    folder = makeTemporaryFolder();
    if (!isMissing) cluster = await PostgresCluster.start(programs);
  });
  afterAll(async () => {
    await redis?.stop();
    await cluster?.stop();
    removeFolder(folder);
  });

  it('survives the loss of the primary under load', () => surviveLoss());

  it.skipIf(redisProgram === undefined)('survives it with the rate counters in Redis', async () => {
    redis = await startRedis(redisProgram ?? '');
    await surviveLoss({ REDIS_URL: redis.url });
    expect(await redis.command('DBSIZE')).toBeGreaterThan(0);
  });

  async function surviveLoss(settings: Settings = {}): Promise<void> {
    const admin = new Admin(folder, { DATABASE_URL: cluster.url, LATCHKEY_LOG_LEVEL: 'silent', ...settings });
    const servers = [await startHttpServer(admin), await startHttpServer(admin)];
    const clients = await Clients.start(servers);
    await clients.succeed();
    const lost = await primaryOf(cluster);

    // What is committed from now on reaches no other machine, so it must not be acknowledged.
    await cluster.stopReplication(lost);
    await expect.poll(() => cluster.query(lost, commitsThatWait), { timeout: failoverTimeoutMs }).not.toEqual([]);
    await cluster.killMachine(lost);
    await clients.fail();

    const successor = () => cluster.findPrimary();
    await expect
      .poll(successor, { timeout: failoverTimeoutMs })
      .toSatisfy((name) => name !== undefined && name !== lost);
    const before = clients.acknowledged();
    await clients.succeed();
    await expect.poll(() => kindsThatGrew(before, clients.acknowledged())).toHaveLength(3);
    const primary = await primaryOf(cluster);
    await clients.expectAllThere((text) => cluster.query(primary, text));
    expect(servers.map(({ process }) => process.process.exitCode)).toEqual([null, null]);

    cluster.startMachine(lost);
    await expect.poll(() => cluster.isComplete(), { timeout: failoverTimeoutMs }).toBe(true);
  }
});

const commitsThatWait = "select pid from pg_stat_activity where wait_event = 'SyncRep'";

async function primaryOf(cluster: PostgresCluster): Promise<MachineName> {
  const name = await cluster.findPrimary();
  if (name === undefined) throw new Error('there is no primary');
  return name;
}

function kindsThatGrew(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>): string[] {
  return Object.keys(after).filter((kind) => (after[kind] ?? 0) > (before[kind] ?? 0));
}
