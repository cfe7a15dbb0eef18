/** SQLite for Kysely: its driver expects better-sqlite3, and this adapts `node:sqlite` to that. */
import type { DatabaseSync, SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite';
import { SqliteAdapter, SqliteDialect, type SqliteStatement } from 'kysely';
import { toSqliteError } from './database-errors.ts';

type Access = 'read' | 'write';

const maxCachedStatements = 500;

export class NodeSqliteDialect extends SqliteDialect {
  readonly #statements: StatementCache;

  constructor(connection: DatabaseSync, access: Access = 'read') {
    const statements = new StatementCache(connection, access);
    super({ database: statements });
    this.#statements = statements;
  }

  override createAdapter(): SqliteStatementAdapter {
    return new SqliteStatementAdapter(this.#statements);
  }
}

/** Lets a prepared query reach the statements of the connection without Kysely's layers; `Prepared` says what that saves. */
export class SqliteStatementAdapter extends SqliteAdapter {
  readonly #statements: StatementCache;

  constructor(statements: StatementCache) {
    super();
    this.#statements = statements;
  }

  prepare(sql: string): Statement {
    return this.#statements.prepare(sql);
  }

  /** How many statements have been executed that may have changed something. */
  get changes(): number {
    return this.#statements.executed.changes;
  }
}

/** The part of better-sqlite3 that Kysely's driver uses, with a cache of prepared statements. */
class StatementCache {
  readonly #connection: DatabaseSync;
  readonly #access: Access;
  readonly #statements = new Map<string, Statement>();
  readonly executed = { changes: 0 };

  constructor(connection: DatabaseSync, access: Access) {
    this.#connection = connection;
    this.#access = access;
  }

  close(): void {
    this.#connection.close();
  }

  prepare(sql: string): Statement {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = new Statement(this.#compile(sql), this.#access, this.executed);
    const oldest = this.#statements.keys().next();
    if (this.#statements.size >= maxCachedStatements && !oldest.done) this.#statements.delete(oldest.value);
    this.#statements.set(sql, statement);
    return statement;
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

/** A statement whose errors say whether the database can be used: it throws `DatabaseUnavailable` if not. */
export class Statement implements SqliteStatement {
  readonly reader: boolean;
  readonly #statement: StatementSync;
  readonly #access: Access;
  readonly #executed: { changes: number };
  readonly #mayChange: 0 | 1;

  constructor(statement: StatementSync, access: Access, executed: { changes: number }) {
    this.#statement = statement;
    this.#access = access;
    this.#executed = executed;
    this.#mayChange = /^\s*select\b/i.test(statement.sourceSQL) ? 0 : 1;
    this.reader = statement.columns().length > 0;
  }

  // These run several times in each request, so none of them creates a function.
  all(parameters: Parameters): unknown[] {
    try {
      const result = this.#statement.all(...(parameters as SQLInputValue[]));
      this.#executed.changes += this.#mayChange;
      return result;
    } catch (error) {
      throw toSqliteError(error, this.#access);
    }
  }

  get(parameters: Parameters): unknown {
    try {
      const result = this.#statement.get(...(parameters as SQLInputValue[]));
      this.#executed.changes += this.#mayChange;
      return result;
    } catch (error) {
      throw toSqliteError(error, this.#access);
    }
  }

  run(parameters: Parameters): StatementResultingChanges {
    try {
      const result = this.#statement.run(...(parameters as SQLInputValue[]));
      this.#executed.changes += this.#mayChange;
      return result;
    } catch (error) {
      throw toSqliteError(error, this.#access);
    }
  }

  *iterate(parameters: Parameters): IterableIterator<unknown> {
    this.#executed.changes += this.#mayChange;
    try {
      yield* this.#statement.iterate(...(parameters as SQLInputValue[]));
    } catch (error) {
      throw toSqliteError(error, this.#access);
    }
  }
}
