/**
 * The time limit for the work of one request. Database and password work check it before they begin. Fastify's
 * `request.signal` is not used, because it would have to be passed through every service and repository to each query.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, systemClock } from './clock.ts';

/** Counted from the arrival of a request, without the time that the client takes to send the body. */
export const deadlineMs = 10_000;

/** The work was not begun, because its request is out of time or its client has closed the connection. */
export class DeadlineExceeded extends Error {
  override name = 'DeadlineExceeded';

  constructor(reason: 'time' | 'closed') {
    super(reason === 'time' ? 'the time of the request is over' : 'the client has closed the connection');
  }
}

export class Deadline {
  readonly #isClosed: () => boolean;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #deadlineMs: number;
  #pausedAtMs = 0;

  /** `isClosed` tells whether the client has disconnected. */
  constructor(timeoutMs: number, isClosed: () => boolean = () => false, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#isClosed = isClosed;
    this.#clock = clock;
    this.#deadlineMs = clock.monotonic() + timeoutMs;
  }

  /** Negative once the time is over. */
  remainingMs(): number {
    return this.#deadlineMs - this.#clock.monotonic();
  }

  /** Returns why no further work may begin; `undefined` while it may. */
  problem(): DeadlineExceeded | undefined {
    if (this.#isClosed()) return new DeadlineExceeded('closed');
    return this.remainingMs() > 0 ? undefined : new DeadlineExceeded('time');
  }

  /** Throws `DeadlineExceeded` if no further work may begin. */
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

/** Returns the result of `work`. Throws `toError()` if it takes longer than `timeoutMs`, while `work` continues. */
export async function withinTime<T>(work: Promise<T>, timeoutMs: number, toError: () => Error): Promise<T> {
  const { promise: isLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(toError()), timeoutMs);
  try {
    return await Promise.race([work, isLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for `work`; in a request only until its deadline. Then throws `DeadlineExceeded`, while `work` continues. */
export async function withinDeadline<T>(work: Promise<T>): Promise<T> {
  const deadline = currentDeadline();
  if (!deadline) return work;
  // A failure after the deadline is not handled elsewhere, and must not end the process.
  work.catch(() => undefined);
  deadline.require();
  return withinTime(work, deadline.remainingMs(), () => new DeadlineExceeded('time'));
}

const current = new AsyncLocalStorage<Deadline | undefined>();

/**
 * Returns the deadline of the request that this code runs for; `undefined` for commands, jobs and the server's start.
 */
export function currentDeadline(): Deadline | undefined {
  return current.getStore();
}

/** Runs `work`, and everything that it starts, with this deadline; with `undefined`, outside of any request. */
export function runWithDeadline<T>(deadline: Deadline | undefined, work: () => T): T {
  return current.run(deadline, work);
}
