/**
 * Sets the order in which Vitest starts test files: those that take longest first, so that
 * none of them is left at the end.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take about a minute or more, which their size, by which Vitest sorts, does not show: the longest first. */
export const longest: readonly string[] = [
  'tests/conformance/combinations.test.ts',
  'tests/simulation/defects.test.ts',
  'tests/faults/event-deliveries.test.ts',
  'tests/faults/postgres-outages.test.ts',
  'tests/faults/desktop-network.test.ts',
  'tests/electron/packaging/packaged-specs.test.ts',
  'tests/faults/failover.test.ts',
  'tests/faults/postgres-races.test.ts',
  'tests/faults/damaged-store.test.ts',
  'tests/simulation/simulation.test.ts',
  'tests/server/http/connection-limits.test.ts',
  'tests/server/staff/admin-endpoints.test.ts',
  'tests/faults/start-errors.test.ts',
  'tests/server/backup/scheduled-backups.test.ts',
  'tests/faults/postgres-kill.test.ts',
  'tests/electron/host/start/start.test.ts',
  'tests/faults/no-network.test.ts',
  'tests/server/backup/postgres.test.ts',
  'tests/server/audit/tampering.test.ts',
  'tests/server/database/silent-postgres.test.ts',
  'tests/faults/held-postgres-lock.test.ts',
  'tests/faults/desktop-kill.test.ts',
  'tests/faults/slow-sockets.test.ts',
  'tests/faults/kill.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      return rank < 0 ? longest.length : rank;
    };
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
