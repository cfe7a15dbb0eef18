/** PostgreSQL for Kysely: pools that recognise an unavailable database, and transactions that run one after the other. */
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
import { applicationId } from './database.ts';
import { DatabaseUnavailable, isPostgresUnavailable } from './database-errors.ts';

/** How the service names itself to PostgreSQL. A restore looks for other connections of this name. */
export const applicationName = 'latchkey';

const defaultConnectTimeoutMs = 5000;
const bigintOid = 20;

/** Our bigints are times and counts, far below 2^53. */
const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === bigintOid ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/**
 * A pool of at most `size` connections to the database of the URL, opened on demand and kept open.
 * A query waits at most `connectTimeoutMs` for a connection. Queries throw `DatabaseUnavailable` when the database
 * cannot be used, and PostgreSQL's own error otherwise.
 */
export function createPostgresPool(
  url: string,
  size: number,
  connectTimeoutMs = defaultConnectTimeoutMs,
): PostgresPool {
  const pool = new Pool({
    connectionString: withoutApplicationName(url),
    application_name: applicationName,
    max: size,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 0,
    keepAlive: true,
    types: typeParsers,
  });
  // A connection that breaks fails its query; without a listener an idle one would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    options: {},
    connect: async () => adaptClient(await pool.connect().catch(rethrow)),
    end: () => pool.end(),
  };
}

/** A name in the URL would take precedence over ours. */
function withoutApplicationName(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('application_name');
  return parsed.href;
}

const adaptedClients = new WeakMap<PoolClient, PostgresPoolClient>();

/** Returns the same object for the same connection, because Kysely stores its own state by it. */
function adaptClient(client: PoolClient): PostgresPoolClient {
  const known = adaptedClients.get(client);
  if (known) return known;
  const query = (sql: string, parameters: readonly unknown[]) => client.query(sql, [...parameters]).catch(rethrow);
  // Kysely's type also has a form of `query` for cursors, which is not used here.
  const adapted = { query, release: (destroy?: boolean) => client.release(destroy) } as unknown as PostgresPoolClient;
  adaptedClients.set(client, adapted);
  return adapted;
}

function rethrow(error: unknown): never {
  throw isPostgresUnavailable(error) ? new DatabaseUnavailable(error) : error;
}

/** How long a write waits for other writes before it gives up. */
const lockTimeout = '10s';

/**
 * Begins a transaction. The advisory lock makes writes serial, as SQLite's are, so that a decision based on what a
 * transaction has read holds until its end. A process that hangs in the middle of a transaction loses it.
 */
const beginStatements = `begin;
set local synchronous_commit = on;
set local lock_timeout = '${lockTimeout}';
set local idle_in_transaction_session_timeout = '30s';
select pg_advisory_xact_lock(${applicationId});`;

/** A dialect for the connection that writes. */
export class WritingPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new SerialDriver(this.#config);
  }
}

class SerialDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw(beginStatements));
    } catch (error) {
      // When only the lock failed the transaction has begun, and it must be ended here.
      await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined);
      throw error;
    }
  }
}
