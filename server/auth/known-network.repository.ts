/** Queries on the networks that accounts have signed in from. */
import type { Executor, Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import type { Tables } from '../database/tables.ts';

export type KnownNetworkRow = Tables['known_networks'];

export function findKnownNetwork(
  executor: Executor,
  network: Omit<KnownNetworkRow, 'last_used_at_ms'>,
): Promise<KnownNetworkRow | undefined> {
  return knownNetwork.first(executor, network);
}

const knownNetwork = prepareQuery((executor, network: Omit<KnownNetworkRow, 'last_used_at_ms'>) =>
  executor
    .selectFrom('known_networks')
    .selectAll()
    .where('user_id', '=', network.user_id)
    .where('network_hash', '=', network.network_hash),
);

export async function saveKnownNetwork(transaction: Transaction, row: KnownNetworkRow): Promise<void> {
  await usedNetwork.postpone(transaction, row);
}

const usedNetwork = prepareQuery((executor, { user_id, network_hash, last_used_at_ms }: KnownNetworkRow) =>
  executor
    .insertInto('known_networks')
    .values({ user_id, network_hash, last_used_at_ms })
    .onConflict((conflict) => conflict.columns(['user_id', 'network_hash']).doUpdateSet({ last_used_at_ms })),
);

/** Deletes the networks of the account but this one and the `count` others that were used last. */
export async function keepLatestNetworks(
  transaction: Transaction,
  { user_id, network_hash }: KnownNetworkRow,
  count: number,
): Promise<void> {
  await withoutOldest.postpone(transaction, { user_id, network_hash, count });
}

type LatestNetworks = Pick<KnownNetworkRow, 'user_id' | 'network_hash'> & { count: number };

const withoutOldest = prepareQuery((executor, { user_id, network_hash, count }: LatestNetworks) => {
  const others = executor
    .selectFrom('known_networks')
    .select('network_hash')
    .where('user_id', '=', user_id)
    .where('network_hash', '!=', network_hash);
  return executor
    .deleteFrom('known_networks')
    .where('user_id', '=', user_id)
    .where('network_hash', '!=', network_hash)
    .where('network_hash', 'not in', others.orderBy('last_used_at_ms', 'desc').orderBy('network_hash').limit(count));
});
