/** What every row is compared with in the same run, and what is aimed at. A row without goals is there to compare with. */
import type { Goal } from './measurement.ts';

/** By the name of the contender. */
export const goals: Readonly<Record<string, readonly Goal[]>> = {
  'key validation': [
    { figure: 'perCpuSecond', against: 'key limit route', atLeast: 0.92 },
    { figure: 'perCpuSecond', against: 'bare route', atLeast: 0.72 },
    { figure: 'p99Ms', against: 'bare route', atMost: 1.5 },
  ],
};
