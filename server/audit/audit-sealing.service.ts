/** Seals new entries of the audit log into its chain. */
import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import type { Secrets } from '../secrets.ts';
import {
  claimEntries,
  entriesPerSeal,
  findNewestSealId,
  hasUnsealedEntries,
  insertSeal,
  readCut,
  readHead,
  saveHead,
} from './audit.repository.ts';
import { chooseChainEnd, makeSeal, signHead } from './audit-chain.rules.ts';
import { AuditKeySource } from './audit-keys.ts';

export type AuditSealingDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'masterKeys' | 'refresh'>;
};

export class AuditSealing {
  readonly #deps: AuditSealingDeps;
  readonly #keys: AuditKeySource;

  constructor(deps: AuditSealingDeps) {
    this.#deps = deps;
    this.#keys = new AuditKeySource(deps.secrets);
  }

  /** Seals all entries that are not sealed yet, a batch in each write, and returns how many they were. */
  async run(): Promise<number> {
    const { database } = this.#deps;
    let total = 0;
    while (await hasUnsealedEntries(database.read)) {
      const sealed = await database.write((transaction) => this.#sealBatch(transaction));
      total += sealed;
      if (sealed < entriesPerSeal) break;
    }
    return total;
  }

  /** One process seals at a time. The writes of users do not wait for it, because the chain is written here alone. */
  async #sealBatch(transaction: Transaction): Promise<number> {
    await lockByName(transaction, 'audit chain');
    const head = await readHead(transaction);
    const newest = (await findNewestSealId(transaction)) || ((await readCut(transaction))?.seal_id ?? 0);
    const keys = this.#keys.thatVerify(head);
    const last = chooseChainEnd(newest, head, keys);
    const entries = await claimEntries(transaction, last.seal_id + 1);
    if (entries.length === 0) return 0;
    const seal = makeSeal(entries, last, this.#deps.clock.now());
    await insertSeal(transaction, seal);
    await saveHead(transaction, signHead({ seal_id: seal.id, hash: seal.hash }, keys[0]));
    return entries.length;
  }
}
