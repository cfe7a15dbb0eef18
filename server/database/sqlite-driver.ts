/** SQLite for Kysely: adapts `node:sqlite` to Kysely's driver, which expects better-sqlite3. */
import type { DatabaseSync, SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite';
import { CompiledQuery, type DatabaseConnection, SqliteDialect, SqliteDriver, type SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { toSqliteError } from './database-errors.ts';

type Access = 'read' | 'write';

const maxCachedStatements = 500;

/** Dialect for one connection, which the caller opens and closes. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #database: StatementCache;

  constructor(connection: DatabaseSync, access: Access = 'read') {
    const database = new StatementCache(connection, access);
    super({ database });
    this.#database = database;
  }

  override createDriver(): SqliteDriver {
    return new NodeSqliteDriver(this.#database);
  }
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #database: StatementCache;

  constructor(database: StatementCache) {
    super({ database });
    this.#database = database;
  }

  /** Takes the write lock first, because a transaction that has already read something cannot wait for it. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** SQLite rolls back on its own after some errors (disk full, I/O). */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** The part of better-sqlite3 that Kysely's driver uses, with a cache of prepared statements. */
class StatementCache {
  readonly #connection: DatabaseSync;
  readonly #access: Access;
  readonly #statements: LRUCache<string, Statement>;

  constructor(connection: DatabaseSync, access: Access) {
    this.#connection = connection;
    this.#access = access;
    const memoMethod = (sql: string) => new Statement(this.#compile(sql), access);
    this.#statements = new LRUCache({ max: maxCachedStatements, memoMethod });
  }

  get isTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  close(): void {
    this.#connection.close();
  }

  prepare(sql: string): Statement {
    return this.#statements.memo(sql);
  }

  #compile(sql: string): StatementSync {
    try {
      return this.#connection.prepare(sql);
    } catch (error) {
      throw toSqliteError(error, this.#access);
    }
  }
}

type Parameters = readonly unknown[];

/** A statement that throws `DatabaseUnavailable` if its error means that the database cannot be used. */
class Statement implements SqliteStatement {
  readonly reader: boolean;
  readonly #statement: StatementSync;
  readonly #access: Access;

  constructor(statement: StatementSync, access: Access) {
    this.#statement = statement;
    this.#access = access;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: Parameters): unknown[] {
    try {
      return this.#statement.all(...(parameters as SQLInputValue[]));
    } catch (error) {
      throw toSqliteError(error, this.#access);
    }
  }

  run(parameters: Parameters): StatementResultingChanges {
    try {
      return this.#statement.run(...(parameters as SQLInputValue[]));
    } catch (error) {
      throw toSqliteError(error, this.#access);
    }
  }

  *iterate(parameters: Parameters): IterableIterator<unknown> {
    try {
      yield* this.#statement.iterate(...(parameters as SQLInputValue[]));
    } catch (error) {
      throw toSqliteError(error, this.#access);
    }
  }
}
