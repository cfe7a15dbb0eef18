/**
 * Deletes the oldest entries of the audit log along with their seals, so that the rest of the chain can still be
 * verified.
 */
import { dayMs, toIso } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import * as repository from './audit.repository.ts';
import {
  type AuditKeys,
  chainStart,
  type EntryRow,
  findCutProblem,
  findEntryProblem,
  findSealProblem,
  hashSeal,
  listEntries,
  type SealRow,
  type SignedCut,
  signCut,
} from './audit-chain.rules.ts';
import { byServer } from './audit-event.ts';
import { readAuditKeys } from './audit-keys.ts';
import type { AuditedDeps } from './audit-log.service.ts';

type AuditRetentionServiceDeps = Pick<AuditedDeps, 'database' | 'secrets' | 'clock' | 'scheduler' | 'auditLog'>;

/** What a run has deleted so far. */
type Progress = {
  readonly entries: number;
  /** True if everything was as it had been when it was sealed. */
  readonly isIntact: boolean;
  readonly isComplete: boolean;
};

/** Maximum number of seals that one write deletes. */
const sealsPerCut = 50;
/** Lets other writes go first. */
const pauseMs = 20;

export class AuditRetentionService {
  readonly #deps: AuditRetentionServiceDeps;

  constructor(deps: AuditRetentionServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Deletes the seals made before that day (UTC), oldest first, and their entries. Each write leaves a signed marker
   * from which the rest of the chain follows. Returns the number of deleted entries; `isStopped` ends it early.
   */
  async cutBefore(timeMs: number, isStopped: () => boolean): Promise<number> {
    const beforeMs = Math.floor(timeMs / dayMs) * dayMs;
    const [oldest] = await repository.listSeals(this.#deps.database.read, 0, 1);
    let progress: Progress = { entries: 0, isIntact: true, isComplete: !oldest || oldest.sealed_at_ms >= beforeMs };
    while (!progress.isComplete && !isStopped()) {
      const before = progress;
      progress = await this.#deps.database.write((transaction) => this.#cutBatch(transaction, beforeMs, before));
      await this.#deps.scheduler.sleep(pauseMs);
    }
    return progress.entries;
  }

  async #cutBatch(transaction: Transaction, beforeMs: number, before: Progress): Promise<Progress> {
    await lockByName(transaction, 'audit chain');
    const oldest = await repository.listSeals(transaction, 0, sealsPerCut);
    const seals = chooseSeals(oldest, beforeMs);
    const isIntact = await this.#delete(transaction, seals);
    const next = oldest[seals.length];
    const progress = {
      entries: before.entries + countEntries(seals),
      isIntact: before.isIntact && isIntact,
      isComplete: next ? next.sealed_at_ms >= beforeMs : oldest.length < sealsPerCut,
    };
    if (progress.isComplete && progress.entries > 0) await this.#record(transaction, beforeMs, progress);
    return progress;
  }

  /** Deletes the seals and their entries. Returns whether the chain and the entries were as they had been sealed. */
  async #delete(transaction: Transaction, seals: readonly SealRow[]): Promise<boolean> {
    const newest = seals.at(-1);
    if (!newest) return true;
    const marker = await repository.readCut(transaction);
    const ids = seals.flatMap((seal) => listEntries(seal).map(({ id }) => id));
    const deleted = await repository.deleteEntries(transaction, ids);
    await repository.deleteSealsUpTo(transaction, newest.id);
    const entries = (marker?.entries ?? 0) + countEntries(seals);
    // Computed again: if the time of the newest seal was changed, so that it seems old, the rest does not follow from it.
    const cut = { seal_id: newest.id, hash: hashSeal(newest), entries, cut_at_ms: this.#deps.clock.now() };
    const keys = readAuditKeys(this.#deps.secrets, await repository.readHead(transaction));
    await repository.saveCut(transaction, signCut(cut, keys[0]));
    return isChainIntact({ marker, seals, entries: deleted }, keys);
  }

  async #record(transaction: Transaction, beforeMs: number, { entries, isIntact }: Progress): Promise<void> {
    await this.#deps.auditLog.record(transaction, {
      ...byServer,
      action: 'audit.cut',
      target: { kind: 'audit', id: '', label: 'log' },
      details: { before: toIso(beforeMs), entries, intact: isIntact },
    });
  }
}

/** Chooses the leading seals that are to be deleted, limited to the number of entries that one seal may have. */
function chooseSeals(seals: readonly SealRow[], beforeMs: number): readonly SealRow[] {
  let entries = 0;
  const end = seals.findIndex((seal, index) => {
    entries += seal.entries;
    return seal.sealed_at_ms >= beforeMs || (index > 0 && entries > repository.entriesPerSeal);
  });
  return end < 0 ? seals : seals.slice(0, end);
}

function countEntries(seals: readonly SealRow[]): number {
  return seals.reduce((sum, { entries }) => sum + entries, 0);
}

type Deleted = {
  readonly marker: SignedCut | undefined;
  readonly seals: readonly SealRow[];
  readonly entries: readonly EntryRow[];
};

function isChainIntact({ marker, seals, entries }: Deleted, keys: AuditKeys): boolean {
  if (marker && findCutProblem(marker, keys)) return false;
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  let last = marker ?? chainStart;
  for (const seal of seals) {
    if (findSealProblem(seal, last)) return false;
    if (listEntries(seal).some((entry) => findEntryProblem(entry, byId.get(entry.id), seal.id))) return false;
    last = { seal_id: seal.id, hash: seal.hash };
  }
  return true;
}
