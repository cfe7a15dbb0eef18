/** The responses in one run of the app, by endpoint, with the times at which they arrived. */
import type { TimelineEntry } from '../../../shared/ipc/diagnostics.ts';

export type RecordedAnswer = Extract<TimelineEntry, { kind: 'answer' }>;

/** A request shortly before the last of several merged responses waits for that one, so that it really is the last. */
const waitsForLastMs = 45_000;

export class RecordedAnswers {
  readonly #byEndpoint = new Map<string, RecordedAnswer[]>();
  /** The last response of each endpoint at the current point of the replay. */
  readonly #current = new Map<string, RecordedAnswer>();

  /** Takes the responses in order; those that first arrived before `beginMs` count as already given. */
  constructor(answers: readonly RecordedAnswer[], beginMs: number) {
    for (const answer of answers) {
      const { endpoint } = answer;
      this.#byEndpoint.set(endpoint, [...(this.#byEndpoint.get(endpoint) ?? []), answer]);
      if (answer.monotonic_ms < beginMs) this.advance(answer);
    }
  }

  /** Records that the replay has reached this response. */
  advance(answer: RecordedAnswer): void {
    this.#current.set(answer.endpoint, answer);
  }

  /** Returns the last response of the endpoint. */
  last(endpoint: string): RecordedAnswer | undefined {
    return this.#current.get(endpoint);
  }

  /** Returns the last response again if it stands for several in the file, the last of which is still to come. */
  repeated(endpoint: string, nowMs: number): RecordedAnswer | undefined {
    const answer = this.last(endpoint);
    return answer && nowMs < lastTimeOf(answer) - waitsForLastMs ? answer : undefined;
  }

  /**
   * Returns when the endpoint responds next, or `undefined` if that is not within that time or if the client may ask at
   * any time.
   */
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

/** Returns the time on the monotonic clock; earlier versions of the client recorded only the wall clock's time. */
export function lastTimeOf({ last_monotonic_ms, monotonic_ms, at, last_at }: RecordedAnswer): number {
  return last_monotonic_ms ?? monotonic_ms + Math.max(0, Date.parse(last_at) - Date.parse(at));
}
