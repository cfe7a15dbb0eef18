/**
 * How long the work of one request may take. Database and password work check it before they begin. Not `request.signal` of
 * Fastify: that would have to be passed through every service and repository to each query.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, systemClock } from './clock.ts';
import { withinTime } from './within-time.ts';

/** From the arrival of a request. The time in which the client sends the body is not counted. */
export const deadlineMs = 10_000;

/** The work was not begun: the time of its request is over, or its client has closed the connection. */
export class DeadlineExceeded extends Error {
  constructor(reason: 'time' | 'closed') {
    super(reason === 'time' ? 'the time of the request is over' : 'the client has closed the connection');
    this.name = 'DeadlineExceeded';
  }
}

export class Deadline {
  readonly #isClosed: () => boolean;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #deadlineMs: number;
  #pausedAtMs = 0;

  /** `isClosed` says whether the client has given up. */
  constructor(timeoutMs: number, isClosed: () => boolean = () => false, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#isClosed = isClosed;
    this.#clock = clock;
    this.#deadlineMs = clock.monotonic() + timeoutMs;
  }

  /** Negative when the time is over. */
  remainingMs(): number {
    return this.#deadlineMs - this.#clock.monotonic();
  }

  /** Why no more work may begin; `undefined` while it may. */
  problem(): DeadlineExceeded | undefined {
    if (this.#isClosed()) return new DeadlineExceeded('closed');
    return this.remainingMs() > 0 ? undefined : new DeadlineExceeded('time');
  }

  /** Throws `DeadlineExceeded`. */
  require(): void {
    const problem = this.problem();
    if (problem) throw problem;
  }

  /** Stops the clock until `resume`. */
  pause(): void {
    this.#pausedAtMs = this.#clock.monotonic();
  }

  resume(): void {
    this.#deadlineMs += this.#clock.monotonic() - this.#pausedAtMs;
  }
}

/** Waits for `work`, in a request only until its time is over. Then throws `DeadlineExceeded`; `work` continues. */
export async function withinDeadline<T>(work: Promise<T>): Promise<T> {
  const deadline = currentDeadline();
  if (!deadline) return work;
  // After the time is over its failure is not handled elsewhere, and must not end the process.
  work.catch(() => undefined);
  deadline.require();
  return withinTime(work, deadline.remainingMs(), () => new DeadlineExceeded('time'));
}

const current = new AsyncLocalStorage<Deadline | undefined>();

/** The deadline of the request that this code runs for; `undefined` for commands, jobs and the start of the server. */
export function currentDeadline(): Deadline | undefined {
  return current.getStore();
}

/** Runs `work`, and everything that it starts, with this deadline; with `undefined`, outside of any request. */
export function runWithDeadline<T>(deadline: Deadline | undefined, work: () => T): T {
  return current.run(deadline, work);
}
