/** Queries that every feature needs: counts, whether there is a row, and statements on many rows at once. */
import { type InsertObject, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { type Executor, isPostgres, type Transaction } from './database.ts';
import type { Tables } from './tables.ts';

/** Returns the number of rows: `count(database.read.selectFrom('staff').where('role', '=', 'owner'))`. */
export async function count<DB, Table extends keyof DB>(rows: SelectQueryBuilder<DB, Table, unknown>): Promise<number> {
  const counted = rows.select(({ fn }) => fn.countAll<number>().as('rows')).$castTo<{ rows: number }>();
  return (await counted.executeTakeFirstOrThrow()).rows;
}

/** Returns true if there is a row: `exists(database.read.selectFrom('staff'))`. */
export async function exists<DB, Table extends keyof DB>(
  rows: SelectQueryBuilder<DB, Table, unknown>,
): Promise<boolean> {
  const first = rows.select(sql.lit(1).as('found')).limit(sql.lit(1));
  return (await first.executeTakeFirst()) !== undefined;
}

/** Inserts the row; returns false, and changes nothing, if a row has the same value where the table allows one only. */
export async function insertNew<Name extends keyof Tables>(
  transaction: Transaction,
  table: Name,
  row: InsertObject<Tables, Name>,
): Promise<boolean> {
  const insert = transaction.insertInto(table).values(row);
  const result = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/**
 * Inserts the rows, which must all have the same columns. The values are one JSON parameter, so the SQL does not depend
 * on the number of rows.
 */
export async function insertRows<Name extends keyof Tables>(
  transaction: Transaction,
  table: Name,
  rows: readonly Tables[Name][],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const statement = isPostgres(transaction)
    ? sql`insert into ${sql.table(table)} (${names}) select ${names} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)`
    : sql`insert into ${sql.table(table)} (${names}) select ${fieldsOf(columns)} from json_each(${JSON.stringify(rows)})`;
  await statement.execute(transaction);
}

function fieldsOf(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql`value ->> ${sql.lit(column)}`));
}

/**
 * Returns the operator and the operand for a text that is one of the values: `.where('id', ...oneOf(executor, ids))`. The
 * values are one JSON parameter, like those of `insertRows`.
 */
export function oneOf(
  executor: Executor,
  values: readonly string[],
): [operator: '=' | 'in', operand: RawBuilder<string>] {
  const json = JSON.stringify(values);
  return isPostgres(executor)
    ? ['=', sql<string>`any(array(select json_array_elements_text(${json}::json)))`]
    : ['in', sql<string>`(select value from json_each(${json}))`];
}
