/** A pool of PostgreSQL connections as Kysely wants it, which tells an unavailable database from a wrong query. */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { Pool, type PoolClient, types } from 'pg';
import { DatabaseUnavailable } from './database.ts';
import { isPostgresUnavailable } from './postgres-errors.ts';

/** How the service names itself to PostgreSQL; by it a restore knows whether anyone still uses the database. */
export const applicationName = 'latchkey';

const usualConnectWithinMs = 5000;
const bigint = 20;

/** Our bigints are times and counts, far below 2^53. */
const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === bigint ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/**
 * At most `size` connections to the database that the URL names, opened as they are needed, and kept.
 * `connectWithinMs` is how long a query may wait for one.
 */
export function createPostgresPool(url: string, size: number, connectWithinMs = usualConnectWithinMs): PostgresPool {
  const pool = new Pool({
    connectionString: withoutName(url),
    application_name: applicationName,
    max: size,
    connectionTimeoutMillis: connectWithinMs,
    idleTimeoutMillis: 0,
    keepAlive: true,
    types: typeParsers,
  });
  // A connection that breaks tells its query; without a listener an idle one would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    options: {},
    connect: async () => adaptClient(await pool.connect().catch(rethrow)),
    end: () => pool.end(),
  };
}

/** What the URL says would win over our name. */
function withoutName(url: string): string {
  const named = new URL(url);
  named.searchParams.delete('application_name');
  return named.href;
}

const adapted = new WeakMap<PoolClient, PostgresPoolClient>();

/** The same object for the same connection: Kysely keeps its own notes by it. */
function adaptClient(client: PoolClient): PostgresPoolClient {
  const known = adapted.get(client);
  if (known) return known;
  const query = (sql: string, parameters: readonly unknown[]) => client.query(sql, [...parameters]).catch(rethrow);
  // Kysely also has a form for cursors, which nothing here uses.
  const made = { query, release: (destroy?: boolean) => client.release(destroy) } as unknown as PostgresPoolClient;
  adapted.set(client, made);
  return made;
}

function rethrow(error: unknown): never {
  throw isPostgresUnavailable(error) ? new DatabaseUnavailable(error) : error;
}
