/** The audit log: records who did what to which record, and lists it. */
import { type Clock, toIso } from '../clock.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { OrderedUuids, type Random } from '../random.ts';
import { runWithBudget } from '../request-budget.ts';
import { insertEntry, listNewestEntries, listOldestEntries, type NewEntry } from './audit.repository.ts';
import type { EntryRow } from './audit-chain.rules.ts';
import type { Actor, AuditDetails, AuditEvent } from './audit-event.ts';
import { RefusalBuffer, type Taken } from './refusal-buffer.ts';

/** An entry as it is shown. */
export type AuditEntry = {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly address: string | null;
  readonly details: AuditDetails;
};

export type AuditLogDeps = { readonly database: Database; readonly clock: Clock; readonly random: Random };

/** How long refusals are collected before they are written. */
const collectMs = 1000;

export class AuditLog {
  readonly #deps: AuditLogDeps;
  readonly #ids: OrderedUuids;
  readonly #refusals: RefusalBuffer;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: AuditLogDeps) {
    this.#deps = deps;
    this.#ids = new OrderedUuids(deps.random);
    this.#refusals = new RefusalBuffer(deps.clock);
  }

  /** Adds an entry within the transaction of the change that it is about, without waiting for the database. */
  record(transaction: Transaction, event: AuditEvent): Promise<void> {
    return insertEntry(transaction, this.#toRow(event, this.#deps.clock.now()));
  }

  /**
   * Adds an entry about a request that was refused, and so has no transaction. It is written within a second, together
   * with others. Of a flood only a part gets entries, and the rest is counted, so that refusals can neither slow the
   * server nor fill its disk.
   */
  noteRefusal(event: AuditEvent): void {
    this.#refusals.add(event);
    this.#schedule();
  }

  /** A page of the entries since a time, newest first. */
  async listNewest(page: Page, sinceMs = 0): Promise<AuditEntry[]> {
    return (await listNewestEntries(this.#deps.database.read, page, sinceMs)).map(toEntry);
  }

  /** A page of all entries, oldest first. */
  async listOldest(page: Page): Promise<AuditEntry[]> {
    return (await listOldestEntries(this.#deps.database.read, page)).map(toEntry);
  }

  /** Writes what is left. To be called before the database is closed. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writeRefusals(true);
  }

  #schedule(): void {
    if (this.#timer !== undefined) return;
    // The timer would otherwise belong to the request, and the write to its budget.
    this.#timer = runWithBudget(undefined, () => setTimeout(() => void this.#writeRefusals(false), collectMs)).unref();
  }

  #writeRefusals(isLast: boolean): Promise<void> {
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeTaken(this.#refusals.take(isLast)));
    return this.#writing.then(() => {
      if (!isLast && !this.#refusals.isEmpty) this.#schedule();
    });
  }

  /** Refusals that cannot be written are only counted. */
  async #writeTaken(taken: Taken): Promise<void> {
    const rows = this.#toRows(taken);
    if (rows.length === 0) return;
    try {
      await this.#deps.database.write(async (transaction) => {
        for (const row of rows) await insertEntry(transaction, row);
      });
    } catch {
      for (const { event, count } of taken.refusals) this.#refusals.addOthers(event.action, count);
      for (const [action, count] of taken.others) this.#refusals.addOthers(action, count);
    }
  }

  #toRows({ refusals, others }: Taken): NewEntry[] {
    const rows = refusals.map(({ event, firstAtMs, count }) =>
      this.#toRow({ ...event, details: { ...event.details, ...(count > 1 && { count }) } }, firstAtMs),
    );
    for (const [action, count] of others) {
      const target = { kind: 'account', id: '', label: '' } as const;
      const event = { actor: { kind: 'anonymous' }, action, target, details: { reason: 'too many', count } } as const;
      rows.push(this.#toRow(event, this.#deps.clock.now()));
    }
    return rows;
  }

  #toRow({ actor, action, target, address, details = {} }: AuditEvent, atMs: number): NewEntry {
    const { label } = target;
    return {
      id: this.#ids.next(atMs),
      at_ms: atMs,
      actor_kind: actor.kind,
      ...describeActor(actor),
      action,
      target_kind: target.kind,
      target_id: target.id,
      target_label: typeof label === 'string' ? label : null,
      label_user_id: typeof label === 'string' ? null : label.emailOf,
      address: address ?? null,
      details: JSON.stringify(details),
    };
  }
}

function describeActor(actor: Actor): Pick<NewEntry, 'actor' | 'actor_user_id'> {
  switch (actor.kind) {
    case 'user':
    case 'staff':
      return { actor: actor.email ?? null, actor_user_id: actor.id };
    case 'command':
      return { actor: 'admin command', actor_user_id: null };
    case 'provider':
      return { actor: actor.name, actor_user_id: null };
    case 'server':
    case 'anonymous':
      return { actor: '', actor_user_id: null };
  }
}

function toEntry(row: EntryRow): AuditEntry {
  return {
    id: row.id,
    at: toIso(row.at_ms),
    // The server, and somebody unknown, have no name.
    actor: row.actor || row.actor_kind,
    action: row.action,
    target: `${row.target_kind} ${row.target_label || row.target_id}`.trim(),
    address: row.address,
    details: JSON.parse(row.details),
  };
}
