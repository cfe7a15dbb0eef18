/** The audit log: records who did what to which record, and lists it. */
import type { AuditEventRecord } from '../../shared/api/admin/audit.ts';
import { toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { type Page, type PageRequest, toPage } from '../database/list.ts';
import { runWithDeadline } from '../deadline.ts';
import type { Cancel } from '../scheduler.ts';
import { listOldestEntries } from './audit.repository.ts';
import type { EntryRow } from './audit-chain.rules.ts';
import { type AuditAction, type AuditDetails, type AuditEvent, unknownAccount } from './audit-event.ts';
import { EntryWriter } from './entry-writer.ts';
import { RefusalBuffer, type Refusals, type Taken } from './refusal-buffer.ts';

/** An entry as it is shown. */
export type AuditEntry = AuditEventRecord & { readonly details: AuditDetails };

type AuditLogServiceDeps = Pick<CommonDeps, 'database' | 'clock' | 'random' | 'scheduler'>;

/** What services depend on whose changes are recorded in the audit log. */
export type AuditedDeps = CommonDeps & { readonly auditLog: AuditLogService };

/** How long refusals are collected before they are written. */
const collectMs = 1000;

export class AuditLogService {
  readonly #deps: AuditLogServiceDeps;
  readonly #entries: EntryWriter;
  readonly #refusals: RefusalBuffer;
  #cancel: Cancel | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: AuditLogServiceDeps) {
    this.#deps = deps;
    this.#entries = new EntryWriter(deps);
    this.#refusals = new RefusalBuffer(deps.clock);
  }

  /** Adds an entry within the transaction of the change that it is about. */
  record(transaction: Transaction, event: AuditEvent): Promise<void> {
    return this.#entries.write(transaction, event);
  }

  /**
   * Adds an entry about a refused request, which has no transaction. It is written within a second, together with
   * others. In a flood, only some refusals get entries and the rest are counted, so that refusals can neither slow down
   * the server nor fill its disk.
   */
  recordRefusal(event: AuditEvent): void {
    this.#refusals.add(event);
    this.#schedule();
  }

  /**
   * Runs `work`. If that throws, records the refusal that `describe` returns for the error, if any, and passes the error
   * on.
   */
  async recordingRefusal<T>(work: () => Promise<T>, describe: (error: unknown) => AuditEvent | undefined): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const refusal = describe(error);
      if (refusal) this.recordRefusal(refusal);
      throw error;
    }
  }

  /** Returns a page of all entries, oldest first. */
  async listOldest(page: PageRequest): Promise<Page<AuditEntry>> {
    return toPage((await listOldestEntries(this.#deps.database.read, page)).map(toEntry), page);
  }

  /** Writes what is left. Must be called before the database is closed. */
  async close(): Promise<void> {
    this.#cancel?.();
    await this.#writeRefusals(true);
  }

  #schedule(): void {
    if (this.#cancel) return;
    // Otherwise the timer would belong to the request, and the write would be subject to its deadline.
    this.#cancel = runWithDeadline(undefined, () =>
      this.#deps.scheduler.timeout(collectMs, () => void this.#writeRefusals(false)),
    );
  }

  #writeRefusals(isLast: boolean): Promise<void> {
    this.#cancel = undefined;
    this.#writing = this.#writing.then(() => this.#writeTaken(this.#refusals.take(isLast)));
    return this.#writing.then(() => {
      if (!isLast && !this.#refusals.isEmpty) this.#schedule();
    });
  }

  /** Writes the refusals. Those that cannot be written are only counted. */
  async #writeTaken({ refusals, others }: Taken): Promise<void> {
    if (refusals.length === 0 && others.size === 0) return;
    try {
      await this.#deps.database.write(async (transaction) => {
        for (const same of refusals) await this.#entries.write(transaction, describeRefusals(same), same.firstAtMs);
        for (const [action, count] of others) await this.#entries.write(transaction, describeOthers(action, count));
      });
    } catch {
      for (const { event, count } of refusals) this.#refusals.addOthers(event.action, count);
      for (const [action, count] of others) this.#refusals.addOthers(action, count);
    }
  }
}

function describeRefusals({ event, count }: Refusals): AuditEvent {
  return count === 1 ? event : { ...event, details: { ...event.details, count } };
}

function describeOthers(action: AuditAction, count: number): AuditEvent {
  const details = { reason: 'others of a flood', count };
  return { actor: { kind: 'anonymous' }, action, target: unknownAccount, details };
}

export function toEntry(row: EntryRow): AuditEntry {
  return {
    id: row.id,
    at: toIso(row.at_ms),
    // The server and unknown actors have no name.
    actor: row.actor || row.actor_kind,
    action: row.action,
    target: `${row.target_kind} ${row.target_label || row.target_id}`.trim(),
    target_id: row.target_id || null,
    address: row.address,
    details: JSON.parse(row.details),
  };
}
