/** Finds webhook endpoints for which events have waited longer than usual, for `check` and the overview. */
import { minuteMs, toIso } from './clock.ts';
import type { Executor } from './database/database.ts';

export type WaitingEndpoint = {
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

/** Returns the endpoints that have not accepted an event yet although it was tried. */
export async function findWaitingEndpoints(executor: Executor): Promise<WaitingEndpoint[]> {
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
    .orderBy('endpoint.id')
    .execute();
  return rows.map(({ url, ...endpoint }) => ({ ...endpoint, origin: new URL(url).origin }));
}

export function isLate({ sinceMs }: WaitingEndpoint, nowMs: number): boolean {
  return nowMs - sinceMs > usualMs;
}

/** Returns the warning of `check`, including what to do. */
export function warnOfWaitingEvents({ id, origin, count, sinceMs }: WaitingEndpoint): string {
  const waiting = count === 1 ? '1 event waits' : `${count} events wait`;
  return `${waiting} for the webhook endpoint at ${origin}, the oldest since ${toIso(sinceMs)}: "admin webhook deliveries ${id}" shows why it does not accept them`;
}
