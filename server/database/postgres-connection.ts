/** One connection to PostgreSQL: statements are sent without waiting for those before them, and each ends in time. */
import { Client, type ClientConfig, type QueryResult, type QueryResultRow } from 'pg';
import { currentBudget } from '../request-budget.ts';
import { DatabaseUnavailable, isPostgresUnavailable, isSentByPostgres, SilentConnection } from './database-errors.ts';
import { watchSilence } from './postgres-silence.ts';
import { streamOf } from './postgres-socket.ts';
import type { StatementNames } from './postgres-statement-names.ts';

export type Statement = {
  readonly sql: string;
  readonly parameters?: readonly unknown[];
  /** The statement is prepared under this name the first time, then only executed. The same SQL has the same name. */
  readonly name?: string | undefined;
};

export type ConnectionDeps = {
  readonly config: ClientConfig;
  /** How long a statement may take, within the budget of its request. The connection is destroyed then. */
  readonly queryTimeoutMs: number;
  /** How long PostgreSQL may send nothing during a statement until it is asked whether it executes it; not asked by default. */
  readonly silenceMs?: number | undefined;
  readonly names: StatementNames;
  /** The connection has ended, or could not be opened. */
  readonly onEnd: () => void;
  /** A statement had all of `queryTimeoutMs` and got no response. */
  readonly onSilence: () => void;
};

export class PostgresConnection {
  /** Resolves once it can be used. Rejects with `DatabaseUnavailable`. */
  readonly opened: Promise<void>;
  /** How many use it now, for the pool to count. */
  users = 0;
  readonly #deps: ConnectionDeps;
  readonly #client: Client;
  #isOpen = false;
  #isHeldBack = false;
  #hasEnded = false;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#client = new Client({ ...deps.config, pipeline: true });
    // A connection that breaks fails its statements; without a listener an idle one would end the process.
    this.#client.on('error', this.#noteEnd).on('end', this.#noteEnd);
    this.opened = this.#client.connect().then(
      () => {
        this.#isOpen = true;
      },
      (error: unknown) => {
        this.#noteEnd();
        throw new DatabaseUnavailable(error);
      },
    );
    // The caller may have stopped waiting.
    this.opened.catch(() => undefined);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Sends the statements, in one packet with others of the same turn of the event loop. Resolves with the result of the last
   * one; rejects with the error of the first one that fails, or with `DatabaseUnavailable` if the database cannot be used or
   * does not respond in time.
   */
  send<Row extends QueryResultRow>(statements: readonly Statement[]): Promise<QueryResult<Row>> {
    if (this.#hasEnded) return Promise.reject(new DatabaseUnavailable(new Error('the connection has ended')));
    const budget = currentBudget();
    const problem = budget?.problem();
    if (problem) return Promise.reject(problem);
    const timeoutMs = Math.min(this.#deps.queryTimeoutMs, budget?.remainingMs() ?? Number.POSITIVE_INFINITY);
    return this.#send(statements, timeoutMs);
  }

  /** Ends the session, after the statements that were sent. */
  async end(): Promise<void> {
    await this.#client.end();
  }

  /** `pg` itself ends a connection by asking the server, which may never respond. */
  destroy(): void {
    this.#noteEnd();
    streamOf(this.#client).destroy();
  }

  #send<Row extends QueryResultRow>(statements: readonly Statement[], timeoutMs: number): Promise<QueryResult<Row>> {
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<Row>>();
    const lose = (afterMs: number) => {
      this.destroy();
      reject(new DatabaseUnavailable(new SilentConnection(afterMs)));
    };
    const stopWatching = this.#watch(lose);
    const timer = setTimeout(() => {
      lose(timeoutMs);
      // A request whose time was nearly over proves nothing: a slow server must not have to accept all connections again.
      if (timeoutMs >= this.#deps.queryTimeoutMs) this.#deps.onSilence();
    }, timeoutMs);
    let failure: unknown;
    let pending = statements.length;
    const settle = (error: Error | undefined, result: QueryResult<Row>) => {
      failure ??= error;
      if (--pending > 0) return;
      clearTimeout(timer);
      stopWatching?.();
      if (failure) reject(this.#toError(failure));
      else resolve(result);
    };
    this.#holdBack();
    for (const { sql, parameters, name } of statements) {
      const query = { text: sql, values: parameters && [...parameters], name: this.#deps.names.find(name) };
      this.#client.query<Row>(query as never, settle);
    }
    return promise;
  }

  #watch(lose: (afterMs: number) => void): (() => void) | undefined {
    const { config, silenceMs } = this.#deps;
    if (silenceMs === undefined) return undefined;
    const stream = streamOf(this.#client);
    return watchSilence({
      client: this.#client,
      config,
      silenceMs,
      bytesRead: () => stream.bytesRead,
      onLost: () => lose(silenceMs),
    });
  }

  /** What is sent in this turn of the event loop goes in one packet. */
  #holdBack(): void {
    if (this.#isHeldBack) return;
    this.#isHeldBack = true;
    const stream = streamOf(this.#client);
    stream.cork();
    setImmediate(() => {
      this.#isHeldBack = false;
      stream.uncork();
    });
  }

  #toError(error: unknown): unknown {
    if (isSentByPostgres(error)) this.#deps.names.noteError(error);
    return isPostgresUnavailable(error) ? new DatabaseUnavailable(error) : error;
  }

  readonly #noteEnd = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#deps.onEnd();
  };
}
