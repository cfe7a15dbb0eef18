/** Counts what a query finds. */
import type { SelectQueryBuilder } from 'kysely';

/** Returns the number of rows: `count(database.read.selectFrom('staff').where('role', '=', 'owner'))`. */
export async function count<DB, Table extends keyof DB>(rows: SelectQueryBuilder<DB, Table, unknown>): Promise<number> {
  const counted = rows.select(({ fn }) => fn.countAll<number>().as('rows')).$castTo<{ rows: number }>();
  return (await counted.executeTakeFirstOrThrow()).rows;
}
