/** Deletes old rows in batches, and stores when that was last done and by which time. */
import { type RawBuilder, sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { readMeta, saveMeta } from '../database/meta.ts';
import { exists } from '../database/queries.ts';
import type { Tables } from '../database/tables.ts';
import type { RetainedKind, RetentionRun } from './retention.rules.ts';

const runName = 'retention_run';

type RetainedRows = { [Table in keyof Tables]: RetainedRowsOf<Table> }[keyof Tables];

type RetainedRowsOf<Table extends keyof Tables> = {
  readonly table: Table;
  readonly key: readonly (keyof Tables[Table])[];
  /** The column that says since when a row is history; null while it is not. */
  readonly endedAt: keyof Tables[Table];
  /** Limits deletion to rows that match the condition and ended within `lookBackMs` before the time. */
  readonly only?: { readonly condition: RawBuilder<boolean>; readonly lookBackMs: number };
  /** A column with a time until which a row is needed, however old it is; null for no such time. */
  readonly neededUntil?: keyof Tables[Table];
};

/**
 * How far back used refresh tokens are searched among unused ones of the same age, which are kept longer. Ages are
 * measured by a time that advances by at most two hours per run, so a few runs may fail. Tokens missed for longer than
 * that are deleted along with the unused ones.
 */
const usedTokenLookBackMs = 6 * 60 * 60 * 1000;

const retained: Readonly<Record<RetainedKind, RetainedRows>> = {
  activations: { table: 'activations', key: ['id'], endedAt: 'released_at_ms', neededUntil: 'lease_expires_at_ms' },
  // Until its end, a legacy key that is imported again would be valid again.
  api_keys: { table: 'api_keys', key: ['id'], endedAt: 'revoked_at_ms', neededUntil: 'legacy_expires_at_ms' },
  used_refresh_tokens: {
    table: 'refresh_tokens',
    key: ['token_hash'],
    endedAt: 'expires_at_ms',
    // While the encrypted successor is stored, a repeated request still gets it.
    only: { condition: sql`used_at_ms is not null and encrypted_successor is null`, lookBackMs: usedTokenLookBackMs },
  },
  refresh_tokens: { table: 'refresh_tokens', key: ['token_hash'], endedAt: 'expires_at_ms' },
  sessions: { table: 'sessions', key: ['id'], endedAt: 'expires_at_ms' },
  device_activity: {
    table: 'device_activity',
    key: ['device_id', 'user_id', 'network', 'instance'],
    endedAt: 'last_seen_at_ms',
  },
  idempotent_responses: {
    table: 'idempotent_responses',
    key: ['user_id', 'idempotency_key_hash'],
    endedAt: 'expires_at_ms',
  },
  billing_events: { table: 'billing_events', key: ['id'], endedAt: 'received_at_ms' },
  billing_payments: { table: 'billing_payments', key: ['provider', 'id'], endedAt: 'received_at_ms' },
  event_deliveries: { table: 'event_deliveries', key: ['id'], endedAt: 'ended_at_ms' },
  reminders: { table: 'reminders', key: ['kind', 'subject_id', 'ends_at_ms', 'lead_ms'], endedAt: 'ends_at_ms' },
};

/** Deletes at most `limit` rows that ended before that time, oldest first, and returns their number. */
export async function deleteEndedBefore(
  transaction: Transaction,
  { kind, beforeMs, limit }: { kind: RetainedKind; beforeMs: number; limit: number },
): Promise<number> {
  const { table: name, key, endedAt, only, neededUntil } = retained[kind];
  const [table, ended] = [sql.table(name), sql.ref(endedAt)];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const isOld = only
    ? sql`${ended} >= ${beforeMs - only.lookBackMs} and ${ended} < ${beforeMs} and ${only.condition}`
    : neededUntil
      ? sql`${ended} < ${beforeMs} and (${sql.ref(neededUntil)} is null or ${sql.ref(neededUntil)} < ${beforeMs})`
      : sql`${ended} < ${beforeMs}`;
  // The condition is repeated for rows that, on PostgreSQL, another transaction has changed since they were selected.
  const deletion = sql`delete from ${table} where ${isOld} and (${columns}) in (
    select ${columns} from ${table} where ${ended} is not null and ${isOld} order by ${ended} limit ${limit}
  )`;
  return Number((await deletion.execute(transaction)).numAffectedRows ?? 0);
}

/** Returns the last run of any process; `undefined` before the first one. */
export async function readLastRun(executor: Executor): Promise<RetentionRun | undefined> {
  const value = await readMeta(executor, runName);
  return value === undefined ? undefined : JSON.parse(value);
}

export function saveRun(transaction: Transaction, run: RetentionRun): Promise<void> {
  return saveMeta(transaction, runName, JSON.stringify(run));
}

export function hasUsers(executor: Executor): Promise<boolean> {
  return exists(executor.selectFrom('users'));
}
