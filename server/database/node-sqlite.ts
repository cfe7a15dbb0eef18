/** Kysely over `node:sqlite`: what its SQLite dialect expects of a driver, with prepared statements kept. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';

const keptStatements = 500;

/** A dialect for a connection that reads; see `WritingSqliteDialect` for one that writes. */
export class NodeSqliteDialect extends SqliteDialect {
  constructor(connection: DatabaseSync) {
    super({ database: adaptConnection(connection) });
  }
}

/** A dialect whose transactions take the write lock when they begin, so that none fails half-way for want of it. */
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
  readonly #begin: () => Promise<void>;
  readonly #sqlite: DatabaseSync;

  constructor(connection: DatabaseSync, begin: () => Promise<void>) {
    super({ database: adaptConnection(connection) });
    this.#sqlite = connection;
    this.#begin = begin;
  }

  override async beginTransaction(): Promise<void> {
    await this.#begin();
  }

  /** SQLite has rolled back by itself after some errors (disk full, I/O). */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** The part of better-sqlite3 that Kysely's driver uses. */
function adaptConnection(connection: DatabaseSync): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>();
  return {
    close: () => connection.close(),
    prepare(sql) {
      const known = kept.get(sql);
      if (known) return known;
      const statement = adaptStatement(connection.prepare(sql));
      const oldest = kept.keys().next();
      if (kept.size >= keptStatements && !oldest.done) kept.delete(oldest.value);
      kept.set(sql, statement);
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
