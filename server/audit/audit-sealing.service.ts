/** Seals new entries of the audit log into its chain, but never on top of an end that was cut off. */
import type { CommonDeps } from '../common-deps.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { type AcceptReport, acceptEnd, describeAccepted, findLastSealId } from './accept-end.ts';
import * as repository from './audit.repository.ts';
import { chooseChainEnd, type Head, isHeadValid, makeSeal, type SignedHead, signHead } from './audit-chain.rules.ts';
import type { AuditContext } from './audit-event.ts';
import { readAuditKeys } from './audit-keys.ts';
import type { AuditLogService } from './audit-log.service.ts';
import type { HeadStore } from './head-store.ts';
import { findLostEnd } from './lost-end.ts';

type AuditSealingServiceDeps = CommonDeps & {
  readonly auditLog: Pick<AuditLogService, 'record'>;
  readonly headStore: Pick<HeadStore, 'read' | 'remember'>;
};

/** The end of the log does not match the remembered one, so nothing is sealed on top of it. */
export class AuditLogTruncated extends Error {
  override name = 'AuditLogTruncated';

  constructor(problem: string) {
    super(`the audit log: ${problem}`);
  }
}

type Sealed = { readonly entries: number; readonly head: SignedHead };

export class AuditSealingService {
  readonly #deps: AuditSealingServiceDeps;
  #isTruncated = false;
  #head: Head | undefined;
  #isStored = true;

  constructor(deps: AuditSealingServiceDeps) {
    this.#deps = deps;
  }

  /** True if the last run found that the end of the log was cut off. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** The newest seal that the last run made or verified; `undefined` if there is none. */
  get head(): Head | undefined {
    return this.#head;
  }

  /** True if a file has that seal, so that it is remembered after this process has ended. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /**
   * Seals all unsealed entries, one batch per write, and returns their number. Throws `AuditLogTruncated` if the newest
   * seal is not the remembered one and does not continue it.
   */
  async run(): Promise<number> {
    const { database, secrets, headStore } = this.#deps;
    // Read first: whatever is remembered is in the database by then, so seals made by other processes do not look like
    // a cut.
    const remembered = await headStore.read();
    let head = await repository.readHead(database.read);
    await this.#check(database.read, head, remembered);
    let total = 0;
    while (await repository.hasUnsealedEntries(database.read)) {
      const sealed = await database.write((transaction) => this.#sealBatch(transaction, remembered));
      if (!sealed) break;
      head = sealed.head;
      total += sealed.entries;
      if (sealed.entries < repository.entriesPerSeal) break;
    }
    this.#head = head && isHeadValid(head, readAuditKeys(secrets, head)) ? head : undefined;
    if (this.#head) this.#isStored = await headStore.remember(this.#head);
    return total;
  }

  /** Accepts the current end of the log, and records that in the log. */
  async accept(by: AuditContext): Promise<AcceptReport> {
    const { database, secrets, clock, auditLog, headStore } = this.#deps;
    const remembered = await headStore.read();
    const accepted = await database.write(async (transaction) => {
      const keys = readAuditKeys(secrets, await repository.readHead(transaction));
      const head = await acceptEnd(transaction, { keys, remembered, nowMs: clock.now() });
      const details = describeAccepted(head, remembered);
      const target = { kind: 'audit', id: '', label: 'log' } as const;
      await auditLog.record(transaction, { ...by, action: 'audit.accept', target, details });
      return head;
    });
    await headStore.remember(accepted);
    return describeAccepted(accepted, remembered);
  }

  async #check(executor: Executor, head: SignedHead | undefined, remembered: Head | undefined): Promise<void> {
    const keys = readAuditKeys(this.#deps.secrets, head);
    const problem = await findLostEnd(executor, { head, remembered, keys });
    this.#isTruncated = problem !== undefined;
    if (problem) throw new AuditLogTruncated(problem);
  }

  /**
   * Seals a batch. One process seals at a time; user writes do not wait for it, because only this code writes the
   * chain.
   */
  async #sealBatch(transaction: Transaction, remembered: Head | undefined): Promise<Sealed | undefined> {
    await lockByName(transaction, 'audit chain');
    const head = await repository.readHead(transaction);
    await this.#check(transaction, head, remembered);
    const keys = readAuditKeys(this.#deps.secrets, head);
    const last = chooseChainEnd(await findLastSealId(transaction), head, keys);
    const entries = await repository.claimEntries(transaction, last.seal_id + 1);
    if (entries.length === 0) return undefined;
    const seal = makeSeal(entries, last, this.#deps.clock.now());
    await repository.insertSeal(transaction, seal);
    const sealed = signHead({ seal_id: seal.id, hash: seal.hash, epoch: head?.epoch ?? 0 }, keys[0]);
    await repository.saveHead(transaction, sealed);
    return { entries: entries.length, head: sealed };
  }
}
