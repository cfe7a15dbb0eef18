/** Writes entries of the audit log, each within a transaction of the caller. */
import type { Clock } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { OrderedUuids, type Random } from '../random.ts';
import { insertEntry, type NewEntry } from './audit.repository.ts';
import type { Actor, AuditEvent } from './audit-event.ts';

type EntryWriterDeps = { readonly clock: Clock; readonly random: Random };

export class EntryWriter {
  readonly #clock: Clock;
  readonly #ids: OrderedUuids;

  constructor({ clock, random }: EntryWriterDeps) {
    this.#clock = clock;
    this.#ids = new OrderedUuids(random);
  }

  /** Adds an entry within the transaction of the change that it is about. `atMs` is when it happened, if not now. */
  async write(transaction: Transaction, event: AuditEvent, atMs = this.#clock.now()): Promise<void> {
    const { actor, action, target, address, details = {} } = event;
    const { kind, id, label } = target;
    const isKnown = typeof label === 'string';
    await insertEntry.run(transaction, {
      id: this.#ids.next(atMs),
      at_ms: atMs,
      actor_kind: actor.kind,
      ...describeActor(actor),
      action,
      target_kind: kind,
      target_id: id,
      target_label: isKnown ? label : null,
      label_user_id: isKnown ? null : label.emailOf,
      address: address ?? null,
      details: JSON.stringify(details),
    });
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
