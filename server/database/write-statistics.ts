/** What the metrics tell of the writes of this process. */
import { Histogram } from '@prometheus-io/client';

export type WriteStatistics = {
  /** How many writes wait for their turn. */
  readonly waiting: number;
  /** Whether the last transaction failed as a whole, as on a disk that takes no more. */
  readonly hasFailed: boolean;
  /** How long each transaction took, until it was on the disk, in seconds. */
  readonly commits: Histogram;
};

/** In no registry yet. */
export function createCommitHistogram(): Histogram {
  return new Histogram({
    name: 'latchkey_commit_duration_seconds',
    help: 'How long transactions took until they were on the disk.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [],
  });
}
