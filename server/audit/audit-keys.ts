/** The keys that sign the audit log, derived from the current secrets. */
import type { Secrets } from '../secrets/secrets.ts';
import { type AuditKeys, auditKeys, isHeadValid, type SignedHead } from './audit-chain.rules.ts';

export class AuditKeySource {
  readonly #secrets: Pick<Secrets, 'masterKeys' | 'refresh'>;
  #cached: { readonly masterKeys: readonly Buffer[]; readonly keys: AuditKeys } | undefined;

  constructor(secrets: Pick<Secrets, 'masterKeys' | 'refresh'>) {
    this.#secrets = secrets;
  }

  /**
   * Returns the keys, newest first. Reloads the secrets if the newest seal is signed with another key, since they may
   * have been rotated.
   */
  keysFor(head: SignedHead | undefined): AuditKeys {
    if (head && !isHeadValid(head, this.#keys())) this.#secrets.refresh();
    return this.#keys();
  }

  #keys(): AuditKeys {
    const { masterKeys } = this.#secrets;
    if (this.#cached?.masterKeys !== masterKeys) this.#cached = { masterKeys, keys: auditKeys(masterKeys) };
    return this.#cached.keys;
  }
}
