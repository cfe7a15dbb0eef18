/** The answers of one run of the app, by endpoint, with the times at which they came. */
import type { TimelineEntry } from '../../../shared/ipc/diagnostics.ts';

export type RecordedAnswer = Extract<TimelineEntry, { kind: 'answer' }>;

/** A request shortly before the last of several answers waits for that one, so that it is the last. */
const waitsForLastMs = 45_000;

export class RecordedAnswers {
  readonly #byEndpoint = new Map<string, RecordedAnswer[]>();
  /** What each endpoint has answered last, as far as the replay is. */
  readonly #current = new Map<string, RecordedAnswer>();

  /** In their order; what came first before `beginMs` has been answered by then. */
  constructor(answers: readonly RecordedAnswer[], beginMs: number) {
    for (const answer of answers) {
      const { endpoint } = answer;
      this.#byEndpoint.set(endpoint, [...(this.#byEndpoint.get(endpoint) ?? []), answer]);
      if (answer.monotonic_ms < beginMs) this.advance(answer);
    }
  }

  /** The replay has come to that answer. */
  advance(answer: RecordedAnswer): void {
    this.#current.set(answer.endpoint, answer);
  }

  /** What was answered last. */
  last(endpoint: string): RecordedAnswer | undefined {
    return this.#current.get(endpoint);
  }

  /** The same answer as before, where the file has several as one and the last of them is still to come. */
  repeated(endpoint: string, nowMs: number): RecordedAnswer | undefined {
    const answer = this.last(endpoint);
    return answer && nowMs < lastTimeOf(answer) - waitsForLastMs ? answer : undefined;
  }

  /** When the endpoint answers next; `undefined` if that is not within that time, or was as often as the client likes. */
  next(endpoint: string, nowMs: number, withinMs: number): NextAnswer | undefined {
    const last = this.last(endpoint);
    if (last && lastTimeOf(last) > nowMs) {
      const monotonicMs = lastTimeOf(last);
      return monotonicMs - nowMs > withinMs ? undefined : { wallMs: Date.parse(last.last_at), monotonicMs };
    }
    const answers = this.#byEndpoint.get(endpoint) ?? [];
    const next = answers[last === undefined ? 0 : answers.indexOf(last) + 1];
    return next && { wallMs: Date.parse(next.at), monotonicMs: next.monotonic_ms };
  }
}

type NextAnswer = { readonly wallMs: number; readonly monotonicMs: number };

/** On the monotonic clock; an earlier version of the client recorded the wall clock's time alone. */
export function lastTimeOf({ last_monotonic_ms, monotonic_ms, at, last_at }: RecordedAnswer): number {
  return last_monotonic_ms ?? monotonic_ms + Math.max(0, Date.parse(last_at) - Date.parse(at));
}
