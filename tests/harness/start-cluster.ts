/** `npm run cluster`: the three machines of server/deploy/cluster on this one, for trying a failover manually. */
import { createInterface } from 'node:readline';
import { findClusterPrograms, machineNames, PostgresCluster } from './postgres-cluster.ts';

const usage = 'Type "kill NAME", "start NAME" or "status"; Ctrl-C ends all.';

const programs = findClusterPrograms();
if ('missing' in programs) {
  console.error(`not installed: ${programs.missing.join(', ')}. server/docs/postgresql.md lists the packages.`);
  process.exitCode = 1;
} else {
  console.log('starting …');
  const cluster = await PostgresCluster.start(programs);
  console.log(`DATABASE_URL=${cluster.url}\n${usage}`);
  const input = createInterface({ input: process.stdin });
  process.once('SIGINT', () => input.close()).once('SIGTERM', () => input.close());
  for await (const line of input) await obey(cluster, line).catch(console.error);
  await cluster.stop();
}

async function obey(cluster: PostgresCluster, line: string): Promise<void> {
  const [verb, word] = line.trim().split(/\s+/);
  const name = machineNames.find((each) => each === word);
  if (verb === 'status') console.table(await cluster.members());
  else if (verb === 'kill' && name) await cluster.killMachine(name);
  else if (verb === 'start' && name) cluster.startMachine(name);
  else console.log(usage);
}
