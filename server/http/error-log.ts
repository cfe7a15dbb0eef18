/** Logs errors that no client can cause: one line for each kind and interval, because a stuck database fails every request. */
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';

/** How often an error of one kind is logged. */
export const errorLogIntervalMs = 10_000;

/** The number of kinds in one interval; all others count as one more kind. */
export const maxErrorKinds = 50;

export type ErrorLogDeps = {
  readonly logger: Pick<FastifyBaseLogger, 'error'>;
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** The errors of a kind since its last line, not logged yet. */
type Repeated = { readonly loggedAtMs: number; readonly message: string; count: number; last: object };

export class ErrorLog {
  readonly #deps: ErrorLogDeps;
  readonly #kinds = new Map<string, Repeated>();

  constructor(deps: ErrorLogDeps) {
    this.#deps = deps;
  }

  /**
   * Logs the error with the fields of its request, unless an error of its kind was logged within the interval: then it is
   * counted as `repeated` in the next line of that kind. That line is logged with the next error after the interval, of any
   * kind, or by `flush`.
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

  /** Logs what has been counted but not logged. */
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

/** The code of an error of PostgreSQL, SQLite or Node; for any other, its message without the numbers in it. */
function describeKind(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return `${error.name} ${errcode ?? code ?? error.message.replace(/\d+/g, '0')}`;
}
