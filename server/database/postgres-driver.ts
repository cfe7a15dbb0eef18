/** PostgreSQL for Kysely: pools that recognize an unavailable database, and transactions that run one after the other. */
import type { Duplex } from 'node:stream';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
} from 'kysely';
import { Pool, type PoolClient, types } from 'pg';
import { currentBudget } from '../request-budget.ts';
import { applicationId } from './database.ts';
import { DatabaseUnavailable, isPostgresUnavailable } from './database-errors.ts';

/** How the service names itself to PostgreSQL. A restore looks for other connections of this name. */
export const applicationName = 'latchkey';

export type PostgresTimeouts = {
  /** How long a query may wait for a connection. */
  readonly connectTimeoutMs: number;
  /** How long a query may take, within the budget of its request. Its connection is destroyed then. */
  readonly queryTimeoutMs: number;
  /** How long a transaction may wait for the lock of all writers. */
  readonly lockTimeoutMs: number;
  /** How long a transaction may be idle until PostgreSQL ends it, because nothing is heard of its process. */
  readonly idleTimeoutMs: number;
};

/** For the queries of a running server. */
export const shortTimeouts: PostgresTimeouts = {
  connectTimeoutMs: 5_000,
  queryTimeoutMs: 5_000,
  lockTimeoutMs: 2_000,
  idleTimeoutMs: 5_000,
};

/** For migrations, backup and restore, whose queries may read a whole table. */
export const longTimeouts: PostgresTimeouts = {
  connectTimeoutMs: 5_000,
  queryTimeoutMs: 30 * 60_000,
  lockTimeoutMs: 10_000,
  idleTimeoutMs: 30_000,
};

const keepAliveMs = 10_000;
const endTimeoutMs = 1_000;
const bigintOid = 20;

/** Our bigints are times and counts, far below 2^53. */
const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === bigintOid ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/**
 * A pool of at most `size` connections to the database of the URL, opened on demand and kept open.
 * Queries throw `DatabaseUnavailable` when the database cannot be used or does not respond in time, and PostgreSQL's
 * own error otherwise.
 */
export function createPostgresPool(
  url: string,
  size: number,
  timeouts: Pick<PostgresTimeouts, 'connectTimeoutMs' | 'queryTimeoutMs'>,
): PostgresPool {
  return new TimedPool(url, size, timeouts);
}

/**
 * A pool whose queries end in time: the connection of one that does not is destroyed. Where a query took all of the
 * query timeout, the idle connections are destroyed with it.
 */
class TimedPool implements PostgresPool {
  readonly options = {};
  readonly #pool: Pool;
  readonly #queryTimeoutMs: number;
  readonly #open = new Set<PoolClient>();
  readonly #idle = new Set<PoolClient>();
  /** The same object for the same connection, because Kysely stores its own state by it. */
  readonly #adapted = new WeakMap<PoolClient, PostgresPoolClient>();

  constructor(
    url: string,
    size: number,
    { connectTimeoutMs, queryTimeoutMs }: Pick<PostgresTimeouts, 'connectTimeoutMs' | 'queryTimeoutMs'>,
  ) {
    this.#queryTimeoutMs = queryTimeoutMs;
    this.#pool = new Pool({
      connectionString: withoutApplicationName(url),
      application_name: applicationName,
      max: size,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: 0,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      types: typeParsers,
    });
    // A connection that breaks fails its query; without a listener an idle one would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
      this.#open.add(client);
    });
    this.#pool.on('acquire', (client) => this.#idle.delete(client));
    this.#pool.on('release', (_error, client) => this.#idle.add(client));
    this.#pool.on('remove', (client) => {
      this.#open.delete(client);
      this.#idle.delete(client);
    });
  }

  async connect(): Promise<PostgresPoolClient> {
    const budget = currentBudget();
    budget?.require();
    const connecting = this.#acquire();
    const releaseLater = () => void connecting.then((client) => client.release(), ignore);
    return this.#adapt(await withTimeout(connecting, budget?.remainingMs(), releaseLater).catch(rethrow));
  }

  /** A connection that does not respond to the end of its session is destroyed. */
  async end(): Promise<void> {
    const timer = setTimeout(() => this.#open.forEach(destroyConnection), endTimeoutMs);
    await this.#pool.end();
    clearTimeout(timer);
  }

  /** A connection that was destroyed a moment ago may still be in the pool. */
  async #acquire(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      if (!streamOf(client).destroyed) return client;
      client.release(true);
    }
  }

  #adapt(client: PoolClient): PostgresPoolClient {
    const known = this.#adapted.get(client);
    if (known) return known;
    let isDestroyed = false;
    const destroy = (timeoutMs: number) => {
      isDestroyed = true;
      destroyConnection(client);
      // Where one connection is silent, the others probably are too; each would cost a request its time.
      // A request whose time was nearly over proves nothing: a slow server must not have to accept all of them again.
      if (timeoutMs >= this.#queryTimeoutMs) this.#idle.forEach(destroyConnection);
    };
    const query = async (sql: string, parameters: readonly unknown[]) => {
      if (isDestroyed) throw new DatabaseUnavailable(new Error('the connection did not respond'));
      const budget = currentBudget();
      budget?.require();
      const timeoutMs = Math.min(this.#queryTimeoutMs, budget?.remainingMs() ?? Number.POSITIVE_INFINITY);
      return await withTimeout(client.query(sql, [...parameters]), timeoutMs, () => destroy(timeoutMs)).catch(rethrow);
    };
    const release = (mustDestroy?: boolean) => client.release(mustDestroy || isDestroyed);
    // Kysely's type also has a form of `query` for cursors, which is not used here.
    const adapted = { query, release } as unknown as PostgresPoolClient;
    this.#adapted.set(client, adapted);
    return adapted;
  }
}

function ignore(): void {
  // The error has been reported to the caller.
}

/** `pg` itself ends a connection by asking the server, which may never respond. */
function destroyConnection(client: PoolClient): void {
  streamOf(client).destroy();
}

function streamOf(client: PoolClient): Duplex {
  return (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection.stream;
}

/** The result of `work`; if it takes longer, calls `onTimeout` and rejects. */
async function withTimeout<T>(work: Promise<T>, timeoutMs: number | undefined, onTimeout: () => void): Promise<T> {
  if (timeoutMs === undefined) return work;
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    onTimeout();
    reject(new Error(`the database did not respond within ${Math.round(timeoutMs)} ms`));
  }, timeoutMs);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** A name in the URL would take precedence over ours. */
function withoutApplicationName(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('application_name');
  return parsed.href;
}

function rethrow(error: unknown): never {
  throw isPostgresUnavailable(error) ? new DatabaseUnavailable(error) : error;
}

/**
 * Begins a transaction. The advisory lock makes writes serial, as SQLite's are, so that a decision based on what a
 * transaction has read holds until its end. A process that hangs in the middle of a transaction loses it.
 */
function beginStatements({ queryTimeoutMs, lockTimeoutMs, idleTimeoutMs }: PostgresTimeouts): string {
  return `begin;
set local synchronous_commit = on;
set local statement_timeout = ${queryTimeoutMs};
set local lock_timeout = ${lockTimeoutMs};
set local idle_in_transaction_session_timeout = ${idleTimeoutMs};
select pg_advisory_xact_lock(${applicationId});`;
}

/** A dialect for a connection that writes. */
export class WritingPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;
  readonly #timeouts: PostgresTimeouts;

  constructor(url: string, timeouts: PostgresTimeouts) {
    const config = { pool: createPostgresPool(url, 1, timeouts) };
    super(config);
    this.#config = config;
    this.#timeouts = timeouts;
  }

  override createDriver(): Driver {
    return new SerialDriver(this.#config, this.#timeouts);
  }
}

class SerialDriver extends PostgresDriver {
  readonly #begin: string;

  constructor(config: PostgresDialectConfig, timeouts: PostgresTimeouts) {
    super(config);
    this.#begin = beginStatements(timeouts);
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw(this.#begin));
    } catch (error) {
      // When only the lock failed the transaction has begun, and it must be ended here.
      await connection.executeQuery(CompiledQuery.raw('rollback')).catch(ignore);
      throw error;
    }
  }
}
