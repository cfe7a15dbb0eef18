/** Queries on the networks from which accounts have signed in. */
import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import type { Tables } from '../database/tables.ts';

/** Maximum number of networks remembered per account. */
export const maxKnownNetworks = 20;

type KnownNetworkRow = Tables['known_networks'];

export const findKnownNetwork = prepareQuery((executor, network: Omit<KnownNetworkRow, 'last_used_at_ms'>) =>
  executor
    .selectFrom('known_networks')
    .selectAll()
    .where('user_id', '=', network.user_id)
    .where('network_hash', '=', network.network_hash),
);

export async function saveKnownNetwork(transaction: Transaction, row: KnownNetworkRow): Promise<void> {
  const { last_used_at_ms } = row;
  await transaction
    .insertInto('known_networks')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'network_hash']).doUpdateSet({ last_used_at_ms }))
    .execute();
}

/** Deletes the networks of the account except this one and the most recently used others. */
export async function keepLatestNetworks(
  transaction: Transaction,
  { user_id, network_hash }: Pick<KnownNetworkRow, 'user_id' | 'network_hash'>,
): Promise<void> {
  const others = transaction
    .selectFrom('known_networks')
    .select('network_hash')
    .where('user_id', '=', user_id)
    .where('network_hash', '!=', network_hash)
    .orderBy('last_used_at_ms', 'desc')
    .orderBy('network_hash')
    // A literal in the SQL: with a parameter as the limit of a subquery, SQLite parses the query again on each
    // execution.
    .limit(sql.lit(maxKnownNetworks - 1));
  await transaction
    .deleteFrom('known_networks')
    .where('user_id', '=', user_id)
    .where('network_hash', '!=', network_hash)
    .where('network_hash', 'not in', others)
    .execute();
}
