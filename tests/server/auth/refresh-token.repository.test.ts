/** A session that was refreshed very often is refreshed as quickly as a new one: nothing looks at all tokens of a family. */
import { DatabaseSync } from 'node:sqlite';
import { type KyselyPlugin, SqliteQueryCompiler } from 'kysely';
import { expect, it } from 'vitest';
import { deleteEncryptedCopy, deleteUsedTokensExpiredBefore } from '../../../server/auth/refresh-token.repository.ts';
import type { Transaction } from '../../../server/database/database.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();

/** How SQLite finds the rows for the one query of `work`. */
async function planOf(work: (transaction: Transaction) => Promise<void>): Promise<string> {
  const queries: { sql: string; parameters: readonly unknown[] }[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      queries.push(new SqliteQueryCompiler().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await server.database.write((transaction) => work(transaction.withPlugin(recorder) as Transaction));
  const connection = new DatabaseSync(server.config.databaseFile);
  const plans = queries.flatMap(({ sql, parameters }) =>
    connection.prepare(`explain query plan ${sql}`).all(...(parameters as string[])),
  );
  connection.close();
  return plans.map(({ detail }) => detail).join('\n');
}

it('the encrypted copy of a token is found by the hash of the token', async () => {
  expect(await planOf((transaction) => deleteEncryptedCopy(transaction, 'child'))).toMatch(
    /INDEX \w+ \(child_hash=\?\)/,
  );
});

it('the tokens to delete are found by their expiry', async () => {
  expect(await planOf((transaction) => deleteUsedTokensExpiredBefore(transaction, 'family', 1))).toMatch(
    /INDEX \w+ \(family_id=\? AND expires_at_ms<\?\)/,
  );
});
