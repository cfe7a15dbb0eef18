/** The connection pools of `pg`: their options, and one for Kysely that respects the deadlines of requests. */
import type { PostgresPool as KyselyPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { Client, type ClientBase, type ClientConfig, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { currentDeadline, DeadlineExceeded, withinDeadline } from '../deadline.ts';
import { DatabaseUnavailable, isPostgresUnavailable, isSentByPostgres } from './database-errors.ts';
import { type LongStatements, watchLongStatements } from './postgres-long-statements.ts';

/** Name under which the service connects to PostgreSQL. A restore looks for other connections with this name. */
export const applicationName = 'latchkey';

export type PoolTimeouts = {
  /** Time limit for opening a connection, and for waiting for one. */
  readonly connectTimeoutMs: number;
  /** Time limit for a statement, unless the deadline of its request is sooner. After that its connection is closed. */
  readonly queryTimeoutMs: number;
  /**
   * How long a statement may take before PostgreSQL is asked whether it is executing it; by default it is never asked.
   */
  readonly longStatementMs?: number;
};

/** How many calls may wait for a connection. */
const maxWaiting = 2_000;
const idleTimeoutMs = 60_000;

/** Parses bigints as numbers: ours are times and counts, far below 2^53. */
const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/** Returns the options of every connection, pooled or not. */
export function connectionOptions(url: string, { connectTimeoutMs, queryTimeoutMs }: PoolTimeouts): PoolConfig {
  return {
    connectionString: withoutApplicationName(url),
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: typeParsers,
  };
}

/** Closes the connection if signing in fails: `pg` leaves it to PostgreSQL, which waits for a minute. */
class ClosingClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.connection.on('error', () => this.connection.stream.destroy());
  }
}

/** The client says only that its password must be a string. */
function nameMissingPassword(error: unknown): unknown {
  const isMissing = error instanceof Error && /client password must be/.test(error.message);
  return isMissing
    ? new Error('it asks for a password: add it to the URL, or set PGPASSWORD', { cause: error })
    : error;
}

/** Opens a pool of at most `size` connections, which are opened on demand. */
export function openPool(url: string, size: number, timeouts: PoolTimeouts): Pool {
  const options = { ...connectionOptions(url, timeouts), max: size, idleTimeoutMillis: idleTimeoutMs };
  const pool = new Pool({ ...options, Client: ClosingClient, allowExitOnIdle: true });
  // A broken connection fails its statements and leaves the pool; without a listener, its error would end the process.
  const ignore = () => undefined;
  return pool.on('error', ignore).on('connect', (client) => void client.on('error', ignore));
}

/** A pool that throws `DatabaseUnavailable` if the database cannot be used or does not respond in time. */
export class DeadlinePool implements KyselyPool {
  readonly options: object;
  readonly #pool: Pool;
  readonly #longStatements: LongStatements | undefined;

  constructor(url: string, size: number, timeouts: PoolTimeouts) {
    this.#pool = openPool(url, size, timeouts);
    this.options = this.#pool.options;
    const { longStatementMs } = timeouts;
    if (longStatementMs !== undefined) this.#longStatements = watchLongStatements(url, longStatementMs);
  }

  get waiting(): number {
    return this.#pool.waitingCount;
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.waiting >= maxWaiting) throw new DatabaseUnavailable(new Error('too many calls are waiting'));
    currentDeadline()?.require();
    const connecting = this.#pool.connect();
    try {
      const client = await withinDeadline(connecting);
      return new DeadlineClient(client, this.#longStatements, () => this.#closeIdle());
    } catch (error) {
      connecting.then(
        (client) => client.release(),
        () => undefined,
      );
      throw new DatabaseUnavailable(nameMissingPassword(error));
    }
  }

  /** Waits for the connections in use, then closes the pool. */
  async end(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#longStatements?.end()]);
  }

  /**
   * Closes the idle connections: if one connection gets no response, they probably will not either, and each would cost
   * a request its time.
   */
  #closeIdle(): void {
    for (let left = this.#pool.idleCount; left > 0; left--) {
      this.#pool.connect().then(
        (client) => {
          skipGracefulEnd(client);
          client.release(true);
        },
        () => undefined,
      );
    }
  }
}

class DeadlineClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #longStatements: LongStatements | undefined;
  readonly #onLost: () => void;
  #isLost = false;

  constructor(client: PoolClient, longStatements: LongStatements | undefined, onLost: () => void) {
    this.#client = client;
    this.#longStatements = longStatements;
    this.#onLost = onLost;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query(): never;
  async query(sql = '', parameters: readonly unknown[] = []): Promise<unknown> {
    if (this.#isLost) throw new DatabaseUnavailable(new Error('the connection is lost'));
    currentDeadline()?.require();
    try {
      const querying = this.#client.query(sql, [...parameters]);
      return await withinDeadline(this.#longStatements?.watch(this.#client, querying) ?? querying);
    } catch (error) {
      if (!isSentByPostgres(error)) {
        this.#isLost = true;
        // A request that ran out of time proves nothing: a slow server must not have to accept all connections again.
        if (!(error instanceof DeadlineExceeded)) this.#onLost();
      }
      throw isPostgresUnavailable(error) ? new DatabaseUnavailable(error) : error;
    }
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#isLost);
  }
}

/**
 * Must be called before closing a connection to a server that may never respond: `pg` would wait for its response to
 * the close, except while a statement is under way.
 */
export function skipGracefulEnd(client: ClientBase): void {
  client.query('select 1').catch(() => undefined);
}

/** Removes the application name from the URL, where it would take precedence over ours. */
function withoutApplicationName(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('application_name');
  return parsed.href;
}
