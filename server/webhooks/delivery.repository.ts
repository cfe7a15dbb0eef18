/** Queries on event deliveries to webhook endpoints. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { exists, oneOf } from '../database/queries.ts';
import { skipLocked } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';
import type { WebhookRow } from './webhook.repository.ts';

export type DeliveryRow = Tables['event_deliveries'];

/** Returns the endpoints with deliveries due now. */
export function listDueWebhooks(executor: Executor, nowMs: number): Promise<WebhookRow[]> {
  return executor
    .selectFrom('webhook_endpoints as endpoint')
    .selectAll('endpoint')
    .where('endpoint.disabled_at_ms', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('event_deliveries as due')
          .select('due.id')
          .whereRef('due.endpoint_id', '=', 'endpoint.id')
          .where('due.state', '=', 'pending')
          .where('due.next_attempt_at_ms', '<=', nowMs),
      ),
    )
    .execute();
}

type Claim = {
  readonly endpointId: string;
  readonly nowMs: number;
  /** No other process attempts them before this time. */
  readonly untilMs: number;
  readonly limit: number;
};

/** Reserves due deliveries, longest waiting first, so that no other process attempts them. */
export function claimDue(transaction: Transaction, claim: Claim): Promise<DeliveryRow[]> {
  const { endpointId, nowMs, untilMs, limit } = claim;
  const due = transaction
    .selectFrom('event_deliveries')
    .select('id')
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'pending')
    .where('next_attempt_at_ms', '<=', nowMs)
    .orderBy('next_attempt_at_ms')
    .limit(limit);
  return transaction
    .with('due', () => skipLocked(transaction, due))
    .updateTable('event_deliveries')
    .set(({ eb }) => ({
      next_attempt_at_ms: untilMs,
      last_attempt_at_ms: nowMs,
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', 'in', ({ selectFrom }) => selectFrom('due').select('id'))
    .returningAll()
    .execute();
}

export type Outcome = Pick<DeliveryRow, 'state' | 'next_attempt_at_ms' | 'response_status' | 'error' | 'ended_at_ms'>;

/** Saves the outcome of an attempt; does nothing if another process has attempted the delivery since. */
export async function saveOutcome(
  transaction: Transaction,
  { id, last_attempt_at_ms }: Pick<DeliveryRow, 'id' | 'last_attempt_at_ms'>,
  outcome: Outcome,
): Promise<void> {
  await transaction
    .updateTable('event_deliveries')
    .set(outcome)
    .where('id', '=', id)
    .where('last_attempt_at_ms', '=', last_attempt_at_ms)
    .where('state', '=', 'pending')
    .execute();
}

type Excess = { readonly endpointId: string; readonly keep: number; readonly limit: number };

/**
 * Returns the ids of waiting deliveries of an endpoint beyond the number to keep, at most `limit`. An account can cause
 * any number of events, so those with the most waiting lose theirs first, oldest first.
 */
export async function listExcess(executor: Executor, { endpointId, keep, limit }: Excess): Promise<string[]> {
  const ranked = executor
    .selectFrom('event_deliveries')
    .select(({ fn }) => [
      'id',
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('account_id').orderBy('id', 'desc'))
        .as('newer_of_account'),
    ])
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'pending');
  const rows = await executor
    .selectFrom(ranked.as('ranked'))
    .select('id')
    .orderBy('newer_of_account')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(keep)
    .execute();
  return rows.map(({ id }) => id);
}

/** Fails waiting deliveries: all of an endpoint, or those with these ids. Returns how many. */
export async function failWaiting(
  transaction: Transaction,
  which: { readonly endpointId: string } | { readonly ids: readonly string[] },
  { error, nowMs }: { readonly error: string; readonly nowMs: number },
): Promise<number> {
  const failing = transaction
    .updateTable('event_deliveries')
    .set({ state: 'failed', error, ended_at_ms: nowMs })
    .where('state', '=', 'pending')
    // Not both: PostgreSQL might compare all that are waiting for the endpoint with each id.
    .where(({ eb }) =>
      'ids' in which ? eb('id', ...oneOf(transaction, which.ids)) : eb('endpoint_id', '=', which.endpointId),
    );
  return Number((await failing.executeTakeFirst()).numUpdatedRows);
}

/** Few enough to be deleted in one write, which blocks the database. */
const fewDeliveries = sql.lit(5000);

function selectOfEndpoint(executor: Executor, endpointId: string) {
  return executor.selectFrom('event_deliveries').select('id').where('endpoint_id', '=', endpointId);
}

/** Returns true if there are too many deliveries of the endpoint to be deleted together with it. */
export function hasManyDeliveries(executor: Executor, endpointId: string): Promise<boolean> {
  return exists(selectOfEndpoint(executor, endpointId).offset(fewDeliveries));
}

/** Deletes a part of the deliveries of the endpoint. */
export async function deleteSomeDeliveries(transaction: Transaction, endpointId: string): Promise<void> {
  const some = selectOfEndpoint(transaction, endpointId).limit(fewDeliveries);
  await transaction.deleteFrom('event_deliveries').where('id', 'in', some).execute();
}

/** Returns the number of waiting deliveries for each endpoint that has any. */
export async function countWaiting(executor: Executor): Promise<ReadonlyMap<string, number>> {
  const rows = await executor
    .selectFrom('event_deliveries')
    .select(({ fn }) => ['endpoint_id', fn.countAll<number>().as('count')])
    .where('state', '=', 'pending')
    .groupBy('endpoint_id')
    .execute();
  return new Map(rows.map(({ endpoint_id, count }) => [endpoint_id, count]));
}

export function findDelivery(executor: Executor, id: string): Promise<DeliveryRow | undefined> {
  return executor.selectFrom('event_deliveries').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Restarts a delivery from the beginning, whether it failed or succeeded; returns false if it does not exist. */
export async function restartDelivery(
  transaction: Transaction,
  id: string,
  { nowMs, giveUpAtMs }: { readonly nowMs: number; readonly giveUpAtMs: number },
): Promise<boolean> {
  const result = await transaction
    .updateTable('event_deliveries')
    .set({
      state: 'pending',
      attempts: 0,
      next_attempt_at_ms: nowMs,
      give_up_at_ms: giveUpAtMs,
      // The outcome of an attempt that is still running must no longer apply.
      last_attempt_at_ms: null,
      response_status: null,
      error: null,
      ended_at_ms: null,
    })
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
