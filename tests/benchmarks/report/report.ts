/** The result of a run: every row with its samples and the outcome of its goals. */
import { availableParallelism, cpus } from 'node:os';
import type { Effort } from '../bench-run.ts';
import { goals } from '../goals.ts';
import { hasWrk } from '../load/run-load.ts';
import { type Contender, type JudgedGoal, judgeGoal, type Sample } from '../measurement.ts';
import type { Findings } from '../run-rounds.ts';

export type ReportRow = {
  readonly name: string;
  readonly group: string;
  readonly samples: readonly Sample[];
  readonly goals: readonly JudgedGoal[];
  /** True if only `--full` measures it. */
  readonly onlyFull: boolean;
  /** The reason why there are no samples. */
  readonly problem?: string;
};

export type Report = {
  readonly measuredOn: string;
  readonly machine: {
    readonly node: string;
    readonly cpu: string;
    readonly cores: number;
    readonly loadGenerator: 'wrk' | 'autocannon';
  };
  readonly effort: Effort;
  readonly rows: readonly ReportRow[];
};

export function createReport(contenders: readonly Contender[], effort: Effort, findings: Findings): Report {
  const { samples, failed, unavailable } = findings;
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    machine: {
      node: process.version,
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      loadGenerator: hasWrk ? 'wrk' : 'autocannon',
    },
    effort,
    rows: contenders.map(({ name, group, onlyFull = false }) => {
      const problem = failed.get(name) ?? unavailable.get(name);
      return {
        name,
        group,
        samples: samples.get(name) ?? [],
        onlyFull,
        goals: (goals[name] ?? []).flatMap((goal) => judgeGoal(name, goal, samples) ?? []),
        ...(problem === undefined ? {} : { problem }),
      };
    }),
  };
}
