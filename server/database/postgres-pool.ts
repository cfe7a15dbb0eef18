/** The pools of `pg`: what they are opened with, and one for Kysely that keeps to the deadlines of requests. */
import type { PostgresPool as KyselyPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { type ClientBase, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { currentDeadline, DeadlineExceeded, withinDeadline } from '../deadline.ts';
import { DatabaseUnavailable, isPostgresUnavailable, isSentByPostgres } from './database-errors.ts';
import { type LongStatements, watchLongStatements } from './postgres-long-statements.ts';

/** How the service names itself to PostgreSQL. A restore looks for other connections of this name. */
export const applicationName = 'latchkey';

export type PoolTimeouts = {
  /** How long opening a connection may take, and waiting for one. */
  readonly connectTimeoutMs: number;
  /** How long a statement may take, before the deadline of its request. Its connection is closed then. */
  readonly queryTimeoutMs: number;
  /** How long a statement may take until PostgreSQL is asked whether it executes it; not asked by default. */
  readonly longStatementMs?: number;
};

/** How many calls may wait for a connection. */
const maxWaiting = 2_000;
const idleTimeoutMs = 60_000;

/** Our bigints are times and counts, far below 2^53. */
const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/** The options of every connection, in a pool or not. */
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

/** A pool of at most `size` connections, opened on demand. */
export function openPool(url: string, size: number, timeouts: PoolTimeouts): Pool {
  const options = { ...connectionOptions(url, timeouts), max: size, idleTimeoutMillis: idleTimeoutMs };
  const pool = new Pool({ ...options, allowExitOnIdle: true });
  // A connection that breaks fails its statements, and leaves the pool; without a listener it would end the process.
  const ignore = () => undefined;
  return pool.on('error', ignore).on('connect', (client) => void client.on('error', ignore));
}

/** Throws `DatabaseUnavailable` when the database cannot be used or does not respond in time. */
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
      throw new DatabaseUnavailable(error);
    }
  }

  /** Waits for the connections that are in use. */
  async end(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#longStatements?.end()]);
  }

  /** If one connection gets no response, those that are idle probably will not either, and each would cost a request its time. */
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
        // A request whose time is over proves nothing: a slow server must not have to accept all connections again.
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
 * Call it before a connection to a server is closed that may never respond to that: `pg` waits for the response, except while
 * a statement is under way.
 */
export function skipGracefulEnd(client: ClientBase): void {
  client.query('select 1').catch(() => undefined);
}

/** A name in the URL would take precedence over ours. */
function withoutApplicationName(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('application_name');
  return parsed.href;
}
