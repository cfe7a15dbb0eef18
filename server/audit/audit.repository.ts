/** Queries on the audit log, and on the chain of its seals. */
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Executor, Transaction } from '../database/database.ts';
import type { PageRequest } from '../database/list.ts';
import { readMeta, saveMeta } from '../database/meta.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import { exists, oneOf } from '../database/queries.ts';
import {
  type EntryRow,
  type SealRow,
  type SignedCut,
  type SignedHead,
  signedCut,
  signedHead,
} from './audit-chain.rules.ts';

/** Maximum number of entries in a seal. */
export const entriesPerSeal = 500;

/** An entry before it is inserted; for an account, only the id may be known. */
export type NewEntry = Omit<EntryRow, 'actor' | 'target_label' | 'seal_id'> & {
  /** Null stands for the email of the account with the id `actor_user_id`. */
  readonly actor: string | null;
  readonly actor_user_id: string | null;
  /** Null stands for the email of the account with the id `label_user_id`. */
  readonly target_label: string | null;
  readonly label_user_id: string | null;
};

export const insertEntry = prepareQuery((executor, entry: NewEntry) => {
  const emailOf = (id: string | null) => sql`(select email from users where id = ${id})`;
  return executor.insertInto('audit_events').values({
    id: entry.id,
    at_ms: entry.at_ms,
    actor_kind: entry.actor_kind,
    actor: sql<string>`coalesce(${entry.actor}, ${emailOf(entry.actor_user_id)}, '')`,
    action: entry.action,
    target_kind: entry.target_kind,
    target_id: entry.target_id,
    target_label: sql<string>`coalesce(${entry.target_label}, ${emailOf(entry.label_user_id)}, '')`,
    address: entry.address,
    details: entry.details,
    seal_id: null,
  });
});

/** Returns a page of all entries, oldest first. */
export function listOldestEntries(executor: Executor, { limit, after = '' }: PageRequest): Promise<EntryRow[]> {
  return executor.selectFrom('audit_events').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute();
}

export function hasUnsealedEntries(executor: Executor): Promise<boolean> {
  return exists(executor.selectFrom('audit_events').where('seal_id', 'is', null));
}

/** Assigns the oldest unsealed entries to a seal, and returns them sorted by id. */
export async function claimEntries(transaction: Transaction, sealId: number): Promise<EntryRow[]> {
  const rows = await transaction
    .updateTable('audit_events')
    .set({ seal_id: sealId })
    .where('id', 'in', (select) =>
      select
        .selectFrom('audit_events')
        .select('id')
        .where('seal_id', 'is', null)
        .orderBy('id')
        .limit(sql.lit(entriesPerSeal)),
    )
    .returningAll()
    .execute();
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
}

export async function insertSeal(transaction: Transaction, seal: SealRow): Promise<void> {
  await transaction.insertInto('audit_seals').values(seal).execute();
}

/** Returns the seals after the given one, oldest first. */
export function listSeals(executor: Executor, afterId: number, limit: number): Promise<SealRow[]> {
  return executor.selectFrom('audit_seals').selectAll().where('id', '>', afterId).orderBy('id').limit(limit).execute();
}

/** Returns the id of the newest seal; 0 if there is none. */
export async function findNewestSealId(executor: Executor): Promise<number> {
  const newest = executor.selectFrom('audit_seals').select(({ fn }) => fn.max<number | null>('id').as('id'));
  return (await newest.executeTakeFirstOrThrow()).id ?? 0;
}

export function findEntries(executor: Executor, ids: readonly string[]): Promise<EntryRow[]> {
  return executor
    .selectFrom('audit_events')
    .selectAll()
    .where('id', ...oneOf(executor, ids))
    .execute();
}

/** Deletes the entries and returns them. */
export function deleteEntries(transaction: Transaction, ids: readonly string[]): Promise<EntryRow[]> {
  return transaction.deleteFrom('audit_events').where('id', 'in', ids).returningAll().execute();
}

export async function deleteSealsUpTo(transaction: Transaction, id: number): Promise<void> {
  await transaction.deleteFrom('audit_seals').where('id', '<=', id).execute();
}

export function countEntries(executor: Executor): Promise<{ entries: number; sealed: number }> {
  return executor
    .selectFrom('audit_events')
    .select(({ fn }) => [fn.countAll<number>().as('entries'), fn.count<number>('seal_id').as('sealed')])
    .executeTakeFirstOrThrow();
}

const headName = 'audit_head';
const cutName = 'audit_cut';

/** Returns the signed head; `undefined` if nothing has been sealed yet, or the stored value is unreadable. */
export function readHead(executor: Executor): Promise<SignedHead | undefined> {
  return readFact(executor, headName, signedHead);
}

export function saveHead(transaction: Transaction, head: SignedHead): Promise<void> {
  return saveMeta(transaction, headName, JSON.stringify(head));
}

/** Returns the cut; `undefined` if nothing has been deleted yet, or the stored value is unreadable. */
export function readCut(executor: Executor): Promise<SignedCut | undefined> {
  return readFact(executor, cutName, signedCut);
}

export function saveCut(transaction: Transaction, cut: SignedCut): Promise<void> {
  return saveMeta(transaction, cutName, JSON.stringify(cut));
}

async function readFact<T>(executor: Executor, name: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const value = await readMeta(executor, name);
  if (value === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(value));
  } catch {
    // Somebody else has written it, so the expected value counts as missing.
    return undefined;
  }
}
