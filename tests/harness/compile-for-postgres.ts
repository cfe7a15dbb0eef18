/** What PostgreSQL would be sent, without a PostgreSQL. */
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Transaction } from '../../server/database/database.ts';
import type { Tables } from '../../server/database/tables.ts';

/** Returns the queries of `work`, each of which finds no rows. */
export async function compileForPostgres(
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<readonly CompiledQuery[]> {
  const queries: CompiledQuery[] = [];
  const database = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (introspected) => new PostgresIntrospector(introspected),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void queries.push(query),
  });
  await database.transaction().execute(work);
  return queries;
}
