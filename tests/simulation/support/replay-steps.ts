/** Sorts a timeline into the events of each run of the app, in the order in which they happened. Pure. */
import type { BootTime } from '../../../electron/licensing/platform.ts';
import type { KnownFacts, TimelineEntry } from '../../../shared/ipc/diagnostics.ts';
import { lastTimeOf, type RecordedAnswer } from './recorded-answers.ts';
import type { Moment } from './replay-clock.ts';

type Entry<Kind extends TimelineEntry['kind']> = Extract<TimelineEntry, { kind: Kind }>;

export type Step = Moment &
  (
    | { readonly kind: 'answer'; readonly answer: RecordedAnswer; readonly isRepeated: boolean }
    | { readonly kind: 'command'; readonly entry: Entry<'command'> }
    | { readonly kind: 'clock'; readonly entry: Entry<'clock'> }
    | { readonly kind: 'decision'; readonly entry: Entry<'decision'> }
    | { readonly kind: 'sleep' | 'wake' | 'stop' }
  );

/** Returns true if the connection doctor got as far as asking the server about the account. */
export function hasAskedServer({ answers }: RecordedRun, { monotonicMs }: Moment, tookMs: number): boolean {
  return answers.some((answer) => {
    const isMeanwhile = [answer.monotonic_ms, lastTimeOf(answer)].some(
      (ms) => ms >= monotonicMs && ms <= monotonicMs + tookMs,
    );
    return isMeanwhile && answer.endpoint === 'subscriptionStatus';
  });
}

/** One run of the app, or the part of it that the file contains. */
export type RecordedRun = Moment & {
  /** `null` if the file begins in the middle of the run. */
  readonly version: string | null;
  readonly boot: BootTime | null;
  /** What the client knew at the beginning, if the file says so. */
  readonly known: KnownFacts | undefined;
  readonly steps: readonly Step[];
  readonly answers: readonly RecordedAnswer[];
};

/** Returns the runs, starting with the first for which the file says what the client knew. */
export function toRuns(timeline: readonly TimelineEntry[]): RecordedRun[] {
  const runs: TimelineEntry[][] = [[]];
  for (const entry of timeline) {
    if (entry.kind === 'start') runs.push([]);
    runs.at(-1)?.push(entry);
  }
  const first = runs.findIndex((entries) => entries.some(({ known }) => known));
  return runs.slice(first).map(toRun);
}

function toRun(entries: readonly TimelineEntry[]): RecordedRun {
  const known = entries.find((entry) => entry.known);
  const [start] = entries;
  const isWhole = start?.kind === 'start';
  const begin = isWhole ? start : (known as TimelineEntry);
  const [beginMs, beginIndex] = [begin.monotonic_ms, entries.indexOf(begin)];
  const isAfter = (step: Step) => step.monotonicMs >= beginMs;
  // A response recorded before the beginning may have been repeated after it.
  const repeated = (step: Step) => step.kind === 'answer' && step.isRepeated;
  const steps = [
    ...entries.slice(0, beginIndex).flatMap(toSteps).filter(repeated),
    ...entries.slice(beginIndex).flatMap(toSteps),
  ].filter(isAfter);
  return {
    ...momentOf(begin),
    version: isWhole ? start.version : null,
    boot: isWhole ? start.boot : bootIn(known?.known),
    known: known?.known,
    steps: steps.sort(compareSteps),
    answers: entries.filter((entry) => entry.kind === 'answer').filter((answer) => lastTimeOf(answer) >= beginMs),
  };
}

/**
 * The monotonic clock may stop during sleep, so events with the same monotonic time may differ in wall clock time. For
 * equal times: the machine wakes before anything arrives; a command, recorded at its end, precedes the responses that
 * it caused; and a refresh precedes the call that needs the token.
 */
function compareSteps(a: Step, b: Step): number {
  return a.monotonicMs - b.monotonicMs || a.wallMs - b.wallMs || rank(a) - rank(b);
}

function rank(step: Step): number {
  if (step.kind === 'clock' || step.kind === 'wake') return 0;
  if (step.kind === 'command') return 1;
  return step.kind === 'answer' && step.answer.endpoint === 'refresh' ? 2 : 3;
}

function toSteps(entry: TimelineEntry): Step[] {
  const moment = momentOf(entry);
  switch (entry.kind) {
    case 'start':
      return [];
    case 'answer': {
      const first = { ...moment, kind: 'answer', answer: entry, isRepeated: false } as const;
      if (entry.times === 1) return [first];
      const last = { wallMs: Date.parse(entry.last_at), monotonicMs: lastTimeOf(entry) };
      return [first, { ...first, ...last, isRepeated: true }];
    }
    case 'command': {
      const tookMs = entry.took_ms ?? 0;
      const began = { wallMs: moment.wallMs - tookMs, monotonicMs: moment.monotonicMs - tookMs };
      return [{ ...began, kind: 'command', entry }];
    }
    case 'clock':
      return [{ ...moment, kind: 'clock', entry }];
    case 'decision':
      return [{ ...moment, kind: 'decision', entry }];
    case 'sleep':
    case 'wake':
    case 'stop':
      return [{ ...moment, kind: entry.kind }];
  }
}

function momentOf({ at, monotonic_ms }: TimelineEntry): Moment {
  return { wallMs: Date.parse(at), monotonicMs: monotonic_ms };
}

function bootIn(known: KnownFacts | undefined): BootTime | null {
  const { boot } = Object(known?.license.time) as { boot?: BootTime | null };
  return boot ?? null;
}
