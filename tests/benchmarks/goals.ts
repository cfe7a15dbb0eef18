/** The comparison and the goal of every row. A row without goals is only there to compare with. */
import type { Goal } from './measurement.ts';

const perCpuSecond = (against: string, atLeast: number): Goal => ({ figure: 'perCpuSecond', against, atLeast });

/** Goals by the name of the contender. */
export const goals: Readonly<Record<string, readonly Goal[]>> = {
  'key validation': [
    perCpuSecond('bare route', 0.35),
    { figure: 'p99Ms', against: 'bare route', atMost: 3 },
    perCpuSecond('better-auth: key validation', 10),
  ],
  'license validation': [perCpuSecond('bare route', 0.25), perCpuSecond('Express: license validation', 3)],
  'subscription status': [perCpuSecond('bare route', 0.35), perCpuSecond('Express: subscription status', 3)],
  'heartbeat within the minute': [perCpuSecond('bare route', 0.25), perCpuSecond('Express: heartbeat', 3)],
  'heartbeat of a new device': [
    perCpuSecond('bare route', 0.12),
    // Waiting for the disk uses no CPU time.
    { figure: 'perSecond', against: 'one commit a request', atLeast: 1 },
  ],
  '5 ms a sync: heartbeat of a new device': [
    { figure: 'perSecond', against: '5 ms a sync: one commit a request', atLeast: 6 },
  ],
  '20 ms a sync: key validation beside heartbeats': [
    { figure: 'p99Ms', against: '20 ms a sync: bare route', isDifference: true, atMost: 5 },
  ],
  refresh: [perCpuSecond('bare route', 0.12), perCpuSecond('Express: refresh', 3)],
  'sign-in': [perCpuSecond('Express: sign-in', 3)],
  activation: [perCpuSecond('bare route', 0.12)],
  ...keyCountGoals('1 million'),
  ...keyCountGoals('10 million'),
  'start to first answer': [{ figure: 'milliseconds', against: 'node -e 0', atMost: 8 }],
  'admin command': [{ figure: 'milliseconds', against: 'node -e 0', atMost: 8 }],
  'memory at rest': [{ figure: 'mebibytes', against: 'bare Fastify: memory at rest', atMost: 1.5 }],
  ...growthGoals('memory after load'),
  ...growthGoals('memory after 1 million requests'),
  ...adminGoals(['user list', 'license list', 'check'], ''),
  ...adminGoals(['user list', 'license list', 'check', 'backup', 'restore', 'move-to'], ' of 1 million accounts'),
  ...adminGoals(['check', 'audit export'], ' of 1 million audit entries'),
  ...adminGoals(['import'], ' of 1 million accounts'),
  ...adminGoals(['import'], ' of 1 million licenses'),
  ...adminGoals(['import'], ' of 1 million API keys'),
  'installer: SHA-256 of 500 MB': [
    { figure: 'megabytesPerSecond', against: 'openssl: SHA-256 of 500 MB', atLeast: 1.2 },
    { figure: 'eventLoopP99Ms', atMost: 5 },
  ],
  'client: start to known entitlement offline': [{ figure: 'milliseconds', atMost: 50 }],
  'window: first paint': [{ figure: 'milliseconds', against: 'bare page: first paint' }],
  'command line: a feature offline': [{ figure: 'milliseconds', against: 'node -e 0', atMost: 12 }],
  'script of main at its start': [{ figure: 'kilobytes', atMost: 1300 }],
  'compressed script of the window': [{ figure: 'kilobytes', atMost: 120 }],
};

function keyCountGoals(inWords: string): Record<string, Goal[]> {
  const against = 'key validation among 10 thousand keys';
  return {
    [`key validation among ${inWords} keys`]: [
      { figure: 'p50Ms', against, atMost: 1.25 },
      { figure: 'p99Ms', against, atMost: 1.5 },
    ],
  };
}

function growthGoals(name: string): Record<string, Goal[]> {
  return {
    [name]: [
      { figure: 'mebibytes', against: `bare Fastify: ${name}`, atMost: 1.5 },
      { figure: 'growth', atMost: 1.1 },
    ],
  };
}

function adminGoals(commands: readonly string[], suffix: string): Record<string, Goal[]> {
  return Object.fromEntries(
    commands.map((command) => [`admin ${command}${suffix}`, [{ figure: 'mebibytes', atMost: 200 }]]),
  );
}
