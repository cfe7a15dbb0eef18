/** The columns that a `SecretBox` encrypts under the master key, and the queries of its rotation. */
import { sql } from 'kysely';
import { type Executor, isPostgres, type Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type EncryptedColumn = {
  readonly table: keyof Tables;
  /** Identifies the row; its value is also the context of the encryption. */
  readonly key: string;
  readonly column: string;
  /** The purpose of the `SecretBox`. */
  readonly purpose: string;
};

/** Every encrypted column; a rotation of the master key encrypts them again. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'signing_keys', key: 'kid', column: 'encrypted_key', purpose: 'signing keys' },
  { table: 'mails', key: 'id', column: 'encrypted_mail', purpose: 'mail queue' },
  { table: 'webhook_endpoints', key: 'id', column: 'encrypted_secret', purpose: 'webhook endpoints' },
];

type EncryptedValue = { readonly key: string; readonly value: string };

/** Returns the values after that key, sorted by key. */
export async function listEncryptedValues(
  executor: Executor,
  { table, key, column }: EncryptedColumn,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<EncryptedValue[]> {
  const [name, value] = [sql.ref(key), sql.ref(column)];
  const { rows } = await sql<EncryptedValue>`
    select ${name} as key, ${value} as value from ${sql.table(table)}
    where ${name} > ${after} order by ${name} limit ${limit}`.execute(executor);
  return rows;
}

/** Replaces a value, unless it has changed meanwhile. */
export async function replaceEncryptedValue(
  transaction: Transaction,
  { table, key, column }: EncryptedColumn,
  { from, to }: { readonly from: EncryptedValue; readonly to: string },
): Promise<void> {
  const [name, value] = [sql.ref(key), sql.ref(column)];
  await sql`
    update ${sql.table(table)} set ${value} = ${to} where ${name} = ${from.key} and ${value} = ${from.value}`.execute(
    transaction,
  );
}

/**
 * Records that everything may have changed. Must be called in a write that also changes something outside the database
 * that every process caches, such as the secrets: no trigger sees that change.
 */
export async function recordChangeOfEverything(transaction: Transaction): Promise<void> {
  const insert = isPostgres(transaction)
    ? sql`select note_account_change('*')`
    : sql`insert into account_changes (user_id) values (null)`;
  await insert.execute(transaction);
}
