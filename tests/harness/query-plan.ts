/** Reads how SQLite executes queries. */
import { DatabaseSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import type { Transaction } from '../../server/database/database.ts';
import type { Tables } from '../../server/database/tables.ts';
import type { TestApp } from './start-app.ts';

/** Returns the query plans of `work`, one step per line. The queries are not executed and return nothing. */
export async function readQueryPlan(
  { config }: Pick<TestApp, 'config'>,
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<string> {
  const connection = new DatabaseSync(config.databaseFile, { readOnly: true });
  const steps: unknown[] = [];
  const prepare = (sql: string) => {
    steps.push(
      ...connection
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => detail),
    );
    return { reader: true, all: () => [], run: () => ({ changes: 0, lastInsertRowid: 0 }), iterate: () => [].values() };
  };
  const database = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: { prepare, close: () => undefined } }),
  });
  try {
    await work(database as unknown as Transaction);
    return steps.join('\n');
  } finally {
    connection.close();
  }
}
