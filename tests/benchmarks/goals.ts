/** What every row is compared with in the same run, and what is aimed at. A row without goals is there to compare with. */
import type { Goal } from './measurement.ts';

const perCpuSecond = (against: string, atLeast: number): Goal => ({ figure: 'perCpuSecond', against, atLeast });

/** By the name of the contender. */
export const goals: Readonly<Record<string, readonly Goal[]>> = {
  'key validation': [
    perCpuSecond('key limit route', 0.92),
    perCpuSecond('bare route', 0.72),
    { figure: 'p99Ms', against: 'bare route', atMost: 1.5 },
    perCpuSecond('better-auth, key validation', 35),
  ],
  'license validation': [
    perCpuSecond('license limit route', 0.85),
    perCpuSecond('bare route', 0.55),
    perCpuSecond('Express, license validation', 5),
  ],
  'subscription status': [
    perCpuSecond('license limit route', 0.85),
    perCpuSecond('bare route', 0.55),
    perCpuSecond('Express, subscription status', 6),
  ],
  'heartbeat, seen within the minute': [perCpuSecond('bare route', 0.5), perCpuSecond('Express, heartbeat', 12)],
  'heartbeat, never seen': [
    perCpuSecond('bare route', 0.3),
    // Who waits for the disk takes no processor time meanwhile.
    { figure: 'perSecond', against: 'one commit a request', atLeast: 6 },
  ],
  refresh: [perCpuSecond('bare route', 0.3), perCpuSecond('Express, refresh', 8)],
  'sign-in': [perCpuSecond('Express, sign-in', 4)],
  activation: [perCpuSecond('bare route', 0.25)],
  'PostgreSQL, heartbeat': [{ figure: 'perSecond', against: 'pgbench, one-row upsert', atLeast: 1 }],
  'PostgreSQL 1 ms away, heartbeat': [{ figure: 'perSecond', against: 'PostgreSQL, heartbeat', atLeast: 0.8 }],
  'PostgreSQL 1 ms away, two processes': [
    { figure: 'perSecond', against: 'PostgreSQL 1 ms away, heartbeat', atLeast: 1.8, orCoresBusy: 0.95 },
  ],
};
