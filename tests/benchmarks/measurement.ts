/** What is measured, what it is compared with, and how the samples of several rounds become one row. */

/** Every figure that a row can have, with its display unit. */
export const figures = {
  cpuMicros: { label: 'CPU µs', digits: 0 },
  perCpuSecond: { label: 'per CPU second', digits: 0 },
  perSecond: { label: 'per second', digits: 0 },
  p50Ms: { label: 'p50 ms', digits: 1 },
  p99Ms: { label: 'p99 ms', digits: 1 },
  p999Ms: { label: 'p99.9 ms', digits: 1 },
  milliseconds: { label: 'ms', digits: 1 },
  /** The part of `milliseconds` until a backup is written, before it is verified. */
  untilWrittenMs: { label: 'until written ms', digits: 0 },
  /** Delay of the event loop. */
  eventLoopP99Ms: { label: 'loop p99 ms', digits: 1 },
  megabytesPerSecond: { label: 'MB/s', digits: 0 },
  mebibytes: { label: 'MiB', digits: 0 },
  /** Memory after all requests relative to that after a quarter of them. */
  growth: { label: 'growth factor', digits: 2 },
  kilobytes: { label: 'kB', digits: 0 },
  /** Writes acknowledged in the meantime. */
  writesPerSecond: { label: 'writes a second', digits: 0 },
  /** Writes refused with 503, which a client sends again. */
  refused: { label: 'refused', digits: 0 },
  /** Share of all cores of the machine that was busy. */
  coresBusy: { label: 'cores busy', digits: 2 },
} as const;

export type Figure = keyof typeof figures;

/** The result of one measurement. */
export type Sample = Readonly<Partial<Record<Figure, number>>>;

/** Something that is measured in turn with others. */
export type Contender = {
  readonly name: string;
  /** Contenders of a group can be selected together. */
  readonly group: string;
  /** Maximum number of rounds; every round by default. Contenders with 1 are not warmed up. */
  readonly rounds?: number;
  /** True for a contender that takes minutes, which only `--full` measures. */
  readonly onlyFull?: boolean;
  /**
   * Takes one sample. Round 0 is the warm-up, whose sample is dropped. Throws `WrongResponse`, or `NotAvailable` if
   * this machine lacks something.
   */
  measure(round: number): Promise<Sample>;
};

/** A response was not the expected one, which makes all figures meaningless. */
export class WrongResponse extends Error {}

/** A contender cannot run on this machine; the message says why. */
export class NotAvailable extends Error {}

/** A goal without a bound is only a comparison. */
export type Goal = {
  readonly figure: Figure;
  /** The contender with which it is compared, round by round; if omitted, the figure itself is judged. */
  readonly against?: string;
  /** True if the other's figure is subtracted; by default it is the divisor. */
  readonly isDifference?: boolean;
  readonly atLeast?: number;
  readonly atMost?: number;
  /**
   * The goal is also met by a result no worse than the other if at least this share of all cores was busy, since then
   * the machine is the limit.
   */
  readonly orCoresBusy?: number;
};

export function hasBound({ atLeast, atMost }: Goal): boolean {
  return atLeast !== undefined || atMost !== undefined;
}

/** The median of several rounds, with the lowest and the highest. */
export type Spread = { readonly median: number; readonly low: number; readonly high: number };

export type JudgedGoal = Goal & {
  readonly measured: Spread;
  readonly isMet: boolean;
  /** Share of busy cores, for a goal that busy cores can meet. */
  readonly coresBusy?: number;
};

export type Samples = ReadonlyMap<string, readonly Sample[]>;

export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
  return { median, low: sorted[0] ?? Number.NaN, high: sorted.at(-1) ?? Number.NaN };
}

/** Returns `undefined` for a figure that these samples lack. */
export function spreadOfFigure(samples: readonly Sample[], figure: Figure): Spread | undefined {
  const numbers = samples.flatMap((sample) => sample[figure] ?? []);
  return numbers.length === 0 ? undefined : spreadOf(numbers);
}

/** Compares round by round, so that a slow round affects both sides; returns `undefined` if one side is missing. */
export function judgeGoal(name: string, goal: Goal, samples: Samples): JudgedGoal | undefined {
  const own = samples.get(name) ?? [];
  const measured = spreadOfFigure(own, goal.figure) && spreadOf(comparableNumbers(own, goal, samples));
  if (!measured || Number.isNaN(measured.median)) return undefined;
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY, orCoresBusy } = goal;
  const isReached = measured.median >= atLeast && measured.median <= atMost;
  if (orCoresBusy === undefined) return { ...goal, measured, isMet: isReached };
  const coresBusy = spreadOfFigure(own, 'coresBusy')?.median ?? 0;
  return { ...goal, measured, coresBusy, isMet: isReached || (measured.median >= 1 && coresBusy >= orCoresBusy) };
}

function comparableNumbers(
  own: readonly Sample[],
  { figure, against, isDifference }: Goal,
  samples: Samples,
): number[] {
  if (against === undefined) return own.flatMap((sample) => sample[figure] ?? []);
  const others = samples.get(against) ?? [];
  const otherMedian = spreadOfFigure(others, figure)?.median;
  return own.flatMap((sample, round) => {
    const [mine, other] = [sample[figure], others[round]?.[figure] ?? otherMedian];
    if (mine === undefined || other === undefined) return [];
    return [isDifference ? mine - other : mine / other];
  });
}
