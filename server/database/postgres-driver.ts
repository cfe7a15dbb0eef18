/** PostgreSQL for Kysely: queries that share connections, and transactions that each have one for themselves. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { QueryResult as ClientResult } from 'pg';
import { runWithBudget } from '../request-budget.ts';
import { DatabaseUnavailable } from './database-errors.ts';
import type { PostgresConnection, Statement } from './postgres-connection.ts';
import { type PoolTimeouts, PostgresPool } from './postgres-pool.ts';
import { isPostponed } from './row-locks.ts';

export type PostgresTimeouts = PoolTimeouts & {
  /** How long a transaction may wait for a lock. */
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
  silenceMs: 20_000,
  lockTimeoutMs: 10_000,
  idleTimeoutMs: 30_000,
};

/** A dialect whose queries share at most `size` connections; it has no transactions. */
export function sharingDialect(url: string, size: number, timeouts: PoolTimeouts): Dialect {
  return createDialect(new SharingDriver(new PostgresPool(url, size, timeouts)));
}

/**
 * A dialect with at most `size` transactions at the same time. `begin` is sent together with the first statement, and
 * so is a statement that was postponed; a transaction without statements is not begun at all.
 */
export function transactionDialect(url: string, size: number, timeouts: PostgresTimeouts): Dialect {
  return createDialect(new TransactionDriver(new PostgresPool(url, size, timeouts), timeouts));
}

function createDialect(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (database) => new PostgresIntrospector(database),
  };
}

class SharingDriver implements Driver {
  readonly #pool: PostgresPool;
  readonly #connection: DatabaseConnection;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
    this.#connection = {
      executeQuery: async <Row>(query: CompiledQuery) => toResult<Row>(await pool.query(toStatement(query))),
      streamQuery: refuse,
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  readonly beginTransaction = refuse;
  readonly commitTransaction = refuse;
  readonly rollbackTransaction = refuse;

  destroy(): Promise<void> {
    return this.#pool.end();
  }
}

class TransactionDriver implements Driver {
  readonly #pool: PostgresPool;
  readonly #timeouts: PostgresTimeouts;

  constructor(pool: PostgresPool, timeouts: PostgresTimeouts) {
    this.#pool = pool;
    this.#timeouts = timeouts;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<TransactionConnection> {
    return new TransactionConnection(await this.#pool.acquire());
  }

  async releaseConnection({ connection }: TransactionConnection): Promise<void> {
    this.#pool.release(connection);
  }

  async beginTransaction(transaction: TransactionConnection, settings: TransactionSettings): Promise<void> {
    transaction.begin(beginStatement(this.#timeouts, settings));
  }

  commitTransaction(transaction: TransactionConnection): Promise<void> {
    return transaction.commit();
  }

  rollbackTransaction(transaction: TransactionConnection): Promise<void> {
    return transaction.rollback();
  }

  destroy(): Promise<void> {
    return this.#pool.end();
  }
}

/**
 * With read committed, each statement sees what was committed before it began, so what is read after waiting for a lock is
 * current. The transaction of a process that hangs is ended by PostgreSQL.
 */
function beginStatement(
  { queryTimeoutMs, lockTimeoutMs, idleTimeoutMs }: PostgresTimeouts,
  { isolationLevel = 'read committed', accessMode }: TransactionSettings,
): string {
  return `begin isolation level ${isolationLevel} ${accessMode ?? ''};
set local synchronous_commit = on;
set local statement_timeout = ${queryTimeoutMs};
set local lock_timeout = ${lockTimeoutMs};
set local idle_in_transaction_session_timeout = ${idleTimeoutMs};`;
}

/** A connection while it belongs to one transaction. */
class TransactionConnection implements DatabaseConnection {
  readonly connection: PostgresConnection;
  /** Statements that are sent together with the next one whose result is needed. */
  #unsent: Statement[] = [];
  #hasBegun = false;
  #isPointless = true;

  constructor(connection: PostgresConnection) {
    this.connection = connection;
  }

  begin(sql: string): void {
    this.#unsent = [{ sql }];
    this.#hasBegun = false;
    this.#isPointless = true;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#isPointless = false;
    const statement = toStatement(query);
    if (!isPostponed(query)) return toResult(await this.#send(statement));
    this.#unsent.push(statement);
    return { rows: [] };
  }

  async commit(): Promise<void> {
    if (this.#isPointless) return;
    const { command } = await this.#send({ sql: 'commit' });
    if (command === 'COMMIT') return;
    throw new DatabaseUnavailable(new Error('the transaction was rolled back'));
  }

  /** Also works after the time of the request is over. If the connection breaks, PostgreSQL itself rolls back. */
  async rollback(): Promise<void> {
    this.#unsent = [];
    if (!this.#hasBegun) return;
    const rollingBack = runWithBudget(undefined, () => this.connection.send([{ sql: 'rollback' }]));
    await rollingBack.catch(() => this.connection.destroy());
  }

  readonly streamQuery = refuse;

  #send(statement: Statement) {
    const statements = [...this.#unsent, statement];
    this.#unsent = [];
    this.#hasBegun = true;
    return this.connection.send(statements);
  }
}

function toStatement(query: CompiledQuery & { readonly name?: string }): Statement {
  return { sql: query.sql, parameters: query.parameters, name: query.name };
}

const changingCommands: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** For several statements in one text, `pg` returns an array, whose results are not used. */
function toResult<Row>({ rows = [], command, rowCount }: ClientResult): QueryResult<Row> {
  if (!changingCommands.has(command)) return { rows };
  return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
}

function refuse(): never {
  throw new Error('this dialect of PostgreSQL does not have it');
}
