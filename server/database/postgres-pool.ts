/** Connections to one PostgreSQL database, opened on demand and kept open. */
import { type QueryResult, type QueryResultRow, types } from 'pg';
import { currentBudget, withinBudget } from '../request-budget.ts';
import { DatabaseUnavailable, isConnectionLost, isRetryable } from './database-errors.ts';
import { PostgresConnection, type Statement } from './postgres-connection.ts';
import { StatementNames } from './postgres-statement-names.ts';

/** How the service names itself to PostgreSQL. A restore looks for other connections of this name. */
export const applicationName = 'latchkey';

export type PoolTimeouts = {
  /** How long opening a connection may take. */
  readonly connectTimeoutMs: number;
  /** How long a statement may take, within the budget of its request. Its connection is destroyed then. */
  readonly queryTimeoutMs: number;
  /** See `ConnectionDeps`. */
  readonly silenceMs?: number;
};

/** When an idle connection is first checked. Node then checks every second, and gives up after ten. */
export const keepAliveMs = 10_000;
const endTimeoutMs = 1_000;
const maxTries = 3;
const bigintOid = 20;

/** Our bigints are times and counts, far below 2^53. */
const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === bigintOid ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

export class PostgresPool {
  readonly #url: string;
  readonly #size: number;
  readonly #timeouts: PoolTimeouts;
  readonly #names = new StatementNames();
  readonly #connections = new Set<PostgresConnection>();
  #hasEnded = false;

  /** At most `size` connections. A pool serves either `query` or `acquire`. */
  constructor(url: string, size: number, timeouts: PoolTimeouts) {
    this.#url = withoutApplicationName(url);
    this.#size = size;
    this.#timeouts = timeouts;
  }

  /**
   * Runs a statement that is a transaction of its own, on the connection with the fewest others: where all are busy it is
   * sent behind them, without waiting for their results. It is sent again if its connection breaks, so it must be safe
   * to run twice. Throws `DatabaseUnavailable` when the database cannot be used or does not respond in time, and
   * PostgreSQL's own error otherwise.
   */
  async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    for (let tries = 1; ; tries++) {
      const connection = this.#chooseConnection();
      connection.users++;
      try {
        if (!connection.isOpen) await withinBudget(connection.opened);
        return await connection.send<Row>([statement]);
      } catch (error) {
        const isWorthwhile = connection.isOpen && (isConnectionLost(error) || isRetryable(error));
        if (tries >= maxTries || !isWorthwhile || currentBudget()?.problem()) throw error;
      } finally {
        connection.users--;
      }
    }
  }

  /** A connection for the caller alone, until `release`. The caller must not acquire more at a time than the pool's size. */
  async acquire(): Promise<PostgresConnection> {
    const connection = [...this.#connections].find(({ users }) => users === 0) ?? this.#open();
    connection.users++;
    try {
      if (!connection.isOpen) await withinBudget(connection.opened);
      return connection;
    } catch (error) {
      this.release(connection);
      throw error;
    }
  }

  release(connection: PostgresConnection): void {
    connection.users--;
  }

  /** Closes all connections, and destroys those that do not close in time. May be called more than once. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    const connections = [...this.#connections];
    const timer = setTimeout(() => {
      for (const connection of connections) connection.destroy();
    }, endTimeoutMs);
    await Promise.allSettled(connections.map((connection) => connection.end()));
    clearTimeout(timer);
  }

  #chooseConnection(): PostgresConnection {
    let best: PostgresConnection | undefined;
    for (const connection of this.#connections) if (connection.users < (best?.users ?? Infinity)) best = connection;
    return best && (best.users === 0 || this.#connections.size >= this.#size) ? best : this.#open();
  }

  #open(): PostgresConnection {
    if (this.#hasEnded) throw new DatabaseUnavailable(new Error('the database is closed'));
    const { connectTimeoutMs, queryTimeoutMs, silenceMs } = this.#timeouts;
    const connection = new PostgresConnection({
      config: {
        connectionString: this.#url,
        application_name: applicationName,
        connectionTimeoutMillis: connectTimeoutMs,
        keepAlive: true,
        keepAliveInitialDelayMillis: keepAliveMs,
        types: typeParsers,
      },
      queryTimeoutMs,
      silenceMs,
      names: this.#names,
      onEnd: () => this.#connections.delete(connection),
      onSilence: () => this.#destroyIdle(),
    });
    this.#connections.add(connection);
    return connection;
  }

  /** If one connection gets no response, the others probably will not either, and each would cost a request its time. */
  #destroyIdle(): void {
    for (const connection of this.#connections) if (connection.users === 0) connection.destroy();
  }
}

/** A name in the URL would take precedence over ours. */
export function withoutApplicationName(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('application_name');
  return parsed.href;
}
