/** Everything that is measured, in the order in which it is shown. */
import type { BenchRun } from '../bench-run.ts';
import type { Contender } from '../measurement.ts';
import { startSqliteInstallation } from '../seed/installation.ts';
import { comparedServers } from './compared-servers.ts';
import { limitRoutes } from './limit-routes.ts';
import { postgresEndpoints } from './postgres-endpoints.ts';
import { sqliteEndpoints } from './sqlite-endpoints.ts';

export function allContenders(run: BenchRun): Contender[] {
  const installation = run.once(() => startSqliteInstallation(run));
  return [
    ...limitRoutes(run),
    ...sqliteEndpoints(run, installation),
    ...comparedServers(run),
    ...postgresEndpoints(run),
  ];
}
