/**
 * Statements on many rows at once whose SQL does not depend on the number of rows: the values are one JSON parameter.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Executor, Transaction } from './database.ts';
import { isPostgres } from './dialect.ts';
import type { Tables } from './tables.ts';

/** Inserts the rows, which must all have the same columns. */
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

/** Returns the operator and the operand for a text that is one of the values: `.where('id', ...oneOf(executor, ids))`. */
export function oneOf(
  executor: Executor,
  values: readonly string[],
): [operator: '=' | 'in', operand: RawBuilder<string>] {
  const json = JSON.stringify(values);
  return isPostgres(executor)
    ? ['=', sql<string>`any(array(select json_array_elements_text(${json}::json)))`]
    : ['in', sql<string>`(select value from json_each(${json}))`];
}
