/** The keys that sign the audit log, as they follow from the secrets at the time. */
import type { Secrets } from '../secrets.ts';
import { type AuditKeys, auditKeys, isHeadValid, type SignedHead } from './audit-chain.rules.ts';

export class AuditKeySource {
  readonly #secrets: Pick<Secrets, 'masterKeys' | 'refresh'>;
  #cached: { readonly masterKeys: readonly Buffer[]; readonly keys: AuditKeys } | undefined;

  constructor(secrets: Pick<Secrets, 'masterKeys' | 'refresh'>) {
    this.#secrets = secrets;
  }

  /** The keys, newest first. Where the newest seal is signed with another one, the secrets may have been rotated. */
  thatVerify(head: SignedHead | undefined): AuditKeys {
    if (head && !isHeadValid(head, this.#keys())) this.#secrets.refresh();
    return this.#keys();
  }

  #keys(): AuditKeys {
    const { masterKeys } = this.#secrets;
    if (this.#cached?.masterKeys !== masterKeys) this.#cached = { masterKeys, keys: auditKeys(masterKeys) };
    return this.#cached.keys;
  }
}
