/** Everything that is measured, in display order. */
import type { BenchRun } from '../bench-run.ts';
import type { Contender } from '../measurement.ts';
import { startSqliteInstallation } from '../seed/installation.ts';
import { adminMemory } from './admin-memory.ts';
import { backupUnderLoad } from './backup-under-load.ts';
import { bareRoutes } from './bare-routes.ts';
import { comparedServers } from './compared-servers.ts';
import { desktop } from './desktop.ts';
import { firstPaint } from './first-paint.ts';
import { installerHash } from './installer-hash.ts';
import { keyCounts, seedMillionAccounts } from './key-counts.ts';
import { memory } from './memory.ts';
import { postgresEndpoints } from './postgres-endpoints.ts';
import { signIns } from './sign-ins.ts';
import { slowDisk } from './slow-disk.ts';
import { sqliteEndpoints } from './sqlite-endpoints.ts';
import { startUp } from './start-up.ts';

export function allContenders(run: BenchRun): Contender[] {
  const installation = run.once(() => startSqliteInstallation(run));
  const millionAccounts = seedMillionAccounts(run);
  return [
    ...bareRoutes(run),
    ...sqliteEndpoints(run, installation),
    ...slowDisk(run),
    ...signIns(run, installation),
    ...comparedServers(run),
    ...postgresEndpoints(run),
    ...keyCounts(run, millionAccounts),
    ...startUp(millionAccounts),
    ...memory(run, installation),
    ...adminMemory(run, installation),
    ...backupUnderLoad(run),
    ...installerHash(run),
    ...desktop(run, installation),
    ...firstPaint(run),
  ];
}
