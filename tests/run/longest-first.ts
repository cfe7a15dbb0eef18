/**
 * Sets the order in which Vitest starts test files: those that take longest first, so that
 * none of them is left at the end.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more, which their size, by which Vitest sorts, does not show. */
const longest = [
  'tests/simulation/defects.test.ts',
  'tests/electron/packaging/packaged-specs.test.ts',
  'tests/conformance/combinations.test.ts',
  'tests/simulation/simulation.test.ts',
  'tests/electron/host/start/start.test.ts',
  'tests/server/staff/admin-endpoints.test.ts',
  'tests/server/http/connection-limits.test.ts',
  'tests/server/policy-preview/many-accounts.test.ts',
  'tests/server/demo/seed-demo.test.ts',
  'tests/embedding/embedding.test.ts',
  'tests/faults/failover.test.ts',
  'tests/faults/kill.test.ts',
  'tests/faults/desktop-network.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.some((path) => moduleId.endsWith(`/${path}`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
