/** Figures about this process's writes, for the metrics. */
import { Histogram } from '@prometheus-io/client';

export type WriteStatistics = {
  /** Number of writes waiting for their turn. */
  readonly waiting: number;
  /**
   * True once a transaction has failed as a whole, on PostgreSQL only because of its disk, until the next probe
   * (`probe.ts`) succeeds: on a full disk, others may succeed because they need no more space.
   */
  hasFailed: boolean;
  /** How long each transaction took until it was on disk, in seconds. */
  readonly commits: Histogram;
};

/** Creates the histogram without registering it. */
export function createCommitHistogram(): Histogram {
  return new Histogram({
    name: 'latchkey_commit_duration_seconds',
    help: 'How long transactions took until they were on the disk.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [],
  });
}
