/** Queries on the networks that accounts have signed in from. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import type { Tables } from '../database/tables.ts';

/** How many networks are remembered for each account. */
export const maxKnownNetworks = 20;

export type KnownNetworkRow = Tables['known_networks'];

export function findKnownNetwork(
  executor: Executor,
  network: Omit<KnownNetworkRow, 'last_used_at_ms'>,
): Promise<KnownNetworkRow | undefined> {
  return findKnownNetworkQuery.first(executor, network);
}

const findKnownNetworkQuery = prepareQuery((executor, network: Omit<KnownNetworkRow, 'last_used_at_ms'>) =>
  executor
    .selectFrom('known_networks')
    .selectAll()
    .where('user_id', '=', network.user_id)
    .where('network_hash', '=', network.network_hash),
);

export async function saveKnownNetwork(transaction: Transaction, row: KnownNetworkRow): Promise<void> {
  await upsertKnownNetworkQuery.run(transaction, row);
}

const upsertKnownNetworkQuery = prepareQuery((executor, { user_id, network_hash, last_used_at_ms }: KnownNetworkRow) =>
  executor
    .insertInto('known_networks')
    .values({ user_id, network_hash, last_used_at_ms })
    .onConflict((conflict) => conflict.columns(['user_id', 'network_hash']).doUpdateSet({ last_used_at_ms })),
);

/** Deletes the networks of the account but this one and the others that were used last. */
export async function keepLatestNetworks(transaction: Transaction, latest: LatestNetwork): Promise<void> {
  await deleteOldestQuery.run(transaction, { user_id: latest.user_id, network_hash: latest.network_hash });
}

type LatestNetwork = Pick<KnownNetworkRow, 'user_id' | 'network_hash'>;

const deleteOldestQuery = prepareQuery((executor, { user_id, network_hash }: LatestNetwork) => {
  const others = executor
    .selectFrom('known_networks')
    .select('network_hash')
    .where('user_id', '=', user_id)
    .where('network_hash', '!=', network_hash)
    .orderBy('last_used_at_ms', 'desc')
    .orderBy('network_hash')
    // Part of the SQL: SQLite parses a query again in each execution if a parameter is the limit of its subquery.
    .limit(sql.lit(maxKnownNetworks - 1));
  return executor
    .deleteFrom('known_networks')
    .where('user_id', '=', user_id)
    .where('network_hash', '!=', network_hash)
    .where('network_hash', 'not in', others);
});
