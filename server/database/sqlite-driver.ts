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
import { toSqliteError } from './database-errors.ts';

type Access = 'read' | 'write';

const maxCachedStatements = 500;

/** A dialect for a connection that reads; `WritingSqliteDialect` is for one that writes. */
export class NodeSqliteDialect extends SqliteDialect {
  constructor(connection: DatabaseSync, access: Access = 'read') {
    super({ database: adaptConnection(connection, access) });
  }
}

/** A dialect whose transactions take the write lock when they begin, so that none fails half-way because of the lock. */
export class WritingSqliteDialect extends NodeSqliteDialect {
  readonly #connection: DatabaseSync;

  constructor(connection: DatabaseSync) {
    super(connection, 'write');
    this.#connection = connection;
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#connection);
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #connection: DatabaseSync;

  constructor(connection: DatabaseSync) {
    super({ database: adaptConnection(connection, 'write') });
    this.#connection = connection;
  }

  override async beginTransaction(): Promise<void> {
    convertErrors('write', () => this.#connection.exec('begin immediate'));
  }

  /** SQLite rolls back by itself after some errors (disk full, I/O). */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** The part of better-sqlite3 that Kysely's driver uses, with a cache of prepared statements. */
function adaptConnection(connection: DatabaseSync, access: Access): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();
  return {
    close: () => connection.close(),
    prepare(sql) {
      const cached = cache.get(sql);
      if (cached) return cached;
      const statement = convertErrors(access, () => adaptStatement(connection.prepare(sql), access));
      const oldest = cache.keys().next();
      if (cache.size >= maxCachedStatements && !oldest.done) cache.delete(oldest.value);
      cache.set(sql, statement);
      return statement;
    },
  };
}

function adaptStatement(statement: StatementSync, access: Access): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => convertErrors(access, () => statement.all(...(parameters as SQLInputValue[]))),
    run: (parameters) => convertErrors(access, () => statement.run(...(parameters as SQLInputValue[]))),
    *iterate(parameters) {
      try {
        yield* statement.iterate(...(parameters as SQLInputValue[]));
      } catch (error) {
        throw toSqliteError(error, access);
      }
    },
  };
}

/** Throws `DatabaseUnavailable` where SQLite cannot read or write. */
function convertErrors<T>(access: Access, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toSqliteError(error, access);
  }
}
