/**
 * Logs errors that no client can cause: one line per kind and interval, because a stuck database fails every request.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';

/** Interval in which an error of one kind is logged once. */
export const errorLogIntervalMs = 10_000;

/** Number of kinds told apart in one interval; errors of further kinds are grouped by their log message. */
export const maxErrorKinds = 50;

type ErrorLogDeps = {
  readonly logger: Pick<FastifyBaseLogger, 'error'>;
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** Errors of one kind that occurred since its last line and are not logged yet. */
type Repeated = { readonly loggedAtMs: number; readonly message: string; count: number; last: object };

export class ErrorLog {
  readonly #deps: ErrorLogDeps;
  readonly #kinds = new Map<string, Repeated>();

  constructor(deps: ErrorLogDeps) {
    this.#deps = deps;
  }

  /**
   * Logs the error with the fields of its request, unless an error of the same kind was logged within the interval. In
   * that case it is counted, and the count appears as `repeated` in the next line of that kind, which is written with
   * the first error of any kind after the interval, or by `flush`.
   */
  add(err: unknown, message: string, fields: object): void {
    const nowMs = this.#deps.clock.monotonic();
    const isOver = ({ loggedAtMs }: Repeated) => nowMs - loggedAtMs >= errorLogIntervalMs;
    const kind = this.#kindOf(err, message);
    const known = this.#kinds.get(kind);
    if (known && !isOver(known)) {
      known.count += 1;
      known.last = { ...fields, err };
      return;
    }
    this.#kinds.delete(kind);
    this.#logRepeated(isOver);
    this.#kinds.set(kind, { loggedAtMs: nowMs, message, count: 0, last: {} });
    this.#write({ ...fields, err }, message, known?.count ?? 0);
  }

  /** Logs the errors that were counted but not logged. */
  flush(): void {
    this.#logRepeated(() => true);
  }

  #logRepeated(isDue: (repeated: Repeated) => boolean): void {
    for (const [kind, repeated] of this.#kinds) {
      if (!isDue(repeated)) continue;
      this.#kinds.delete(kind);
      if (repeated.count > 0) this.#write(repeated.last, repeated.message, repeated.count);
    }
  }

  #write(fields: object, message: string, repeated: number): void {
    this.#deps.logger.error({ ...fields, ...(repeated > 0 && { repeated }) }, message);
  }

  #kindOf(error: unknown, message: string): string {
    const kind = `${message}: ${describeKind(error)}`;
    return this.#kinds.has(kind) || this.#kinds.size < maxErrorKinds ? kind : message;
  }
}

/** Returns the error code of PostgreSQL, SQLite or Node, or else the message with its numbers masked. */
function describeKind(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return `${error.name} ${errcode ?? code ?? error.message.replace(/\d+/g, '0')}`;
}
