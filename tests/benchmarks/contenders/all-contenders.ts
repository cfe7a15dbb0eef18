/** Everything that is measured, in the order in which it is shown. */
import type { BenchRun } from '../bench-run.ts';
import type { Contender } from '../measurement.ts';
import { sqliteEndpoints } from './sqlite-endpoints.ts';

export function allContenders(run: BenchRun): Contender[] {
  return [...sqliteEndpoints(run)];
}
