/** SQLite for Kysely: its driver expects better-sqlite3, and this adapts `node:sqlite` to that. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';

const maxCachedStatements = 500;

/** A dialect for a connection that reads; `WritingSqliteDialect` is for one that writes. */
export class NodeSqliteDialect extends SqliteDialect {
  constructor(connection: DatabaseSync) {
    super({ database: adaptConnection(connection) });
  }
}

/** A dialect whose transactions take the write lock when they begin, so that none fails half-way because of the lock. */
export class WritingSqliteDialect extends NodeSqliteDialect {
  readonly #connection: DatabaseSync;
  readonly #begin: () => Promise<void>;

  /** `begin` issues BEGIN IMMEDIATE and may wait for other processes. */
  constructor(connection: DatabaseSync, begin: () => Promise<void>) {
    super(connection);
    this.#connection = connection;
    this.#begin = begin;
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#connection, this.#begin);
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #connection: DatabaseSync;
  readonly #begin: () => Promise<void>;

  constructor(connection: DatabaseSync, begin: () => Promise<void>) {
    super({ database: adaptConnection(connection) });
    this.#connection = connection;
    this.#begin = begin;
  }

  override async beginTransaction(): Promise<void> {
    await this.#begin();
  }

  /** SQLite rolls back by itself after some errors (disk full, I/O). */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** The part of better-sqlite3 that Kysely's driver uses, with a cache of prepared statements. */
function adaptConnection(connection: DatabaseSync): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();
  return {
    close: () => connection.close(),
    prepare(sql) {
      const cached = cache.get(sql);
      if (cached) return cached;
      const statement = adaptStatement(connection.prepare(sql));
      const oldest = cache.keys().next();
      if (cache.size >= maxCachedStatements && !oldest.done) cache.delete(oldest.value);
      cache.set(sql, statement);
      return statement;
    },
  };
}

function adaptStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}
