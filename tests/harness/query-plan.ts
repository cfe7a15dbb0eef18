/** How SQLite finds the rows for a query. */
import { DatabaseSync } from 'node:sqlite';
import { type KyselyPlugin, SqliteQueryCompiler } from 'kysely';
import type { Transaction } from '../../server/database/database.ts';
import type { TestApp } from './start-app.ts';

/** The plan of the queries of `work`, one step per line. */
export async function readQueryPlan(
  { database, config }: Pick<TestApp, 'database' | 'config'>,
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<string> {
  const queries: { sql: string; parameters: readonly unknown[] }[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      queries.push(new SqliteQueryCompiler().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await database.write((transaction) => work(transaction.withPlugin(recorder) as Transaction));
  const connection = new DatabaseSync(config.databaseFile);
  const plans = queries.flatMap(({ sql, parameters }) =>
    connection.prepare(`explain query plan ${sql}`).all(...(parameters as string[])),
  );
  connection.close();
  return plans.map(({ detail }) => detail).join('\n');
}
