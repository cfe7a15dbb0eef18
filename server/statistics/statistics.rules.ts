/** Defines what is counted for the overview, and how days are named. */
import { expressionBuilder } from 'kysely';
import { dayMs } from '../clock.ts';
import { notReplaced } from '../database/subscription-in-force.ts';
import type { Tables } from '../database/tables.ts';
import type { CountedTable } from './statistics.repository.ts';

/** Returns the day in UTC, such as `2026-11-22`. */
export function nameDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Returns the start of the day in UTC. */
export function startOfDay(timeMs: number): number {
  return Math.floor(timeMs / dayMs) * dayMs;
}

const eb = expressionBuilder<Tables, CountedTable['table']>();

/** Returns the totals to count in each table, as of a time. */
export function countedTables(nowMs: number): readonly CountedTable[] {
  const every = eb.lit(true);
  const isActive = eb('activations.released_at_ms', 'is', null);
  return [
    { table: 'users', counts: { accounts: every } },
    {
      table: 'subscriptions',
      counts: {
        subscriptions: eb.and([
          eb('subscriptions.is_replaced', '=', notReplaced),
          eb('subscriptions.status', 'in', ['trialing', 'active', 'past_due']),
          eb('subscriptions.current_period_end_ms', '>', nowMs),
        ]),
      },
    },
    {
      table: 'licenses',
      counts: {
        licenses: every,
        active_licenses: eb.and([
          eb('licenses.status', '=', 'active'),
          eb.or([eb('licenses.expires_at_ms', 'is', null), eb('licenses.expires_at_ms', '>', nowMs)]),
        ]),
      },
    },
    {
      table: 'activations',
      counts: {
        devices: isActive,
        devices_alive: isActive.and('activations.last_seen_at_ms', '>', nowMs - dayMs),
        devices_today: isActive.and('activations.last_seen_at_ms', '>=', startOfDay(nowMs)),
      },
    },
    { table: 'api_keys', counts: { api_keys: every, current_api_keys: eb('api_keys.revoked_at_ms', 'is', null) } },
  ];
}

export type TotalName =
  | 'accounts'
  | 'subscriptions'
  | 'licenses'
  | 'active_licenses'
  | 'devices'
  | 'devices_alive'
  | 'devices_today'
  | 'api_keys'
  | 'current_api_keys';

/** Audit log actions that are counted by day, with the name of each count. */
export const countedActions: Readonly<Record<string, 'activations' | 'sign_ins' | 'refusals'>> = {
  'license.activate': 'activations',
  'account.sign_in': 'sign_ins',
  'staff.sign_in': 'sign_ins',
  'account.sign_in_refused': 'refusals',
  'staff.sign_in_refused': 'refusals',
};

/** Returns how many events an entry stands for; a refusal entry may stand for several. */
export function readEntryCount(details: string): number {
  if (details === '') return 1;
  const { count } = JSON.parse(details) as { count?: unknown };
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : 1;
}
