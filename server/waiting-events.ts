/** Finds webhook endpoints for which events have waited longer than usual, for `check` and the overview. */
import { minuteMs, toIso } from './clock.ts';
import type { Executor } from './database/database.ts';

type LateEndpoint = {
  readonly id: string;
  /** The address without its path, which may contain a secret. */
  readonly origin: string;
  /** Number of events that were tried and are still waiting. */
  readonly count: number;
  /** When the oldest of them happened. */
  readonly sinceMs: number;
};

/** A receiver may be down for as long as it takes to deploy or restart it. */
const usualMs = 30 * minuteMs;

/** Returns the endpoints for which an event that was tried has waited longer than usual. */
export async function findLateEndpoints(executor: Executor, nowMs: number): Promise<LateEndpoint[]> {
  const rows = await executor
    .selectFrom('event_deliveries as delivery')
    .innerJoin('webhook_endpoints as endpoint', 'endpoint.id', 'delivery.endpoint_id')
    .where('delivery.state', '=', 'pending')
    .where('delivery.last_attempt_at_ms', 'is not', null)
    .groupBy(['endpoint.id', 'endpoint.url'])
    .select(({ fn }) => [
      'endpoint.id',
      'endpoint.url',
      fn.countAll<number>().as('count'),
      fn.min<number>('delivery.at_ms').as('sinceMs'),
    ])
    .having(({ eb, fn }) => eb(fn.min('delivery.at_ms'), '<', nowMs - usualMs))
    .orderBy('endpoint.id')
    .execute();
  return rows.map(({ url, ...endpoint }) => ({ ...endpoint, origin: new URL(url).origin }));
}

/** Returns the warnings of `check`, one per endpoint, including what to do. */
export async function warnOfWaitingEvents(executor: Executor, nowMs: number): Promise<string[]> {
  return (await findLateEndpoints(executor, nowMs)).map(({ id, origin, count, sinceMs }) => {
    const waiting = count === 1 ? '1 event waits' : `${count} events wait`;
    return `${waiting} for the webhook endpoint at ${origin}, the oldest since ${toIso(sinceMs)}: "admin webhook deliveries ${id}" shows why it does not accept them`;
  });
}
