/**
 * Replaces the master key while servers run. A rotation can be interrupted at any point and repeated:
 *
 * 1. The new key is added to the file next to the current one, and every process learns of it. From then on the new key
 *    is used, and what was made with the previous one still works.
 * 2. Stored values are encrypted again in small writes.
 * 3. The database takes the fingerprint of the new key, and the audit log gets an entry.
 * 4. After a minute, by which the last process has learned of the new key, what was still made with the previous key is
 *    encrypted again, and the previous key is removed from the file. A server does this if the command did not.
 */

import { auditKeys } from '../audit/audit-chain.rules.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { resignChain } from '../audit/resign-chain.ts';
import type { Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { SecretBox } from '../secrets/secret-box.ts';
import { type SecretKey, toSecretKeys } from '../secrets/secret-key.ts';
import { isRotationPending, type StoredSecrets, saveFingerprint } from '../secrets/secrets.ts';
import { newStoredKey } from '../secrets/secrets-file.ts';
import * as repository from './encrypted-column.repository.ts';

type SecretRotationServiceDeps = AuditedDeps & {
  readonly secrets: StoredSecrets;
};

const batchSize = 200;
/** After this time every process knows a new key, and the writes that it began before have ended. */
const learningMs = 60_000;

export class SecretRotationService {
  readonly #deps: SecretRotationServiceDeps;

  constructor(deps: SecretRotationServiceDeps) {
    this.#deps = deps;
  }

  /** Lists the keys in the file, newest first, without the keys themselves. */
  list(): SecretKey[] {
    return toSecretKeys(this.#deps.secrets.content);
  }

  /**
   * Replaces the master key and returns the new one; completes an interrupted rotation instead, if there is one. Throws
   * `StartError` if the file cannot be written.
   */
  async rotate(by: AuditContext): Promise<SecretKey> {
    if (!(await this.#isInterrupted())) await this.#begin();
    await this.#complete(by);
    await this.finish(by);
    return this.#newest();
  }

  /**
   * Completes an interrupted rotation, and drops earlier keys once nothing needs them. Returns whether it changed the
   * file.
   */
  async finish(by: AuditContext): Promise<boolean> {
    const { database, secrets } = this.#deps;
    secrets.refresh();
    if (!this.#hasEarlier()) return false;
    if (await this.#isInterrupted()) await this.#complete(by);
    if (!this.#isLearned()) return false;
    await this.#encryptAllAgain();
    return database.write((transaction) => this.#forget(transaction));
  }

  /** Returns true if the file has keys that it only keeps until a rotation is finished. */
  #hasEarlier(): boolean {
    return this.#deps.secrets.content.masterKeys.length > 1;
  }

  #isInterrupted(): Promise<boolean> {
    const { database, secrets } = this.#deps;
    secrets.refresh();
    return isRotationPending(database.read, secrets);
  }

  /** Returns true if every process knows the newest key. */
  #isLearned(): boolean {
    const { secrets, clock } = this.#deps;
    const [newest] = secrets.content.masterKeys;
    return newest !== undefined && clock.now() - newest.createdAtMs >= learningMs;
  }

  /** Adds the new key to the file, unless an interrupted rotation has already added one. */
  async #begin(): Promise<void> {
    const { database, secrets, clock, random } = this.#deps;
    await database.write(async (transaction) => {
      await lockByName(transaction, 'secrets');
      secrets.refresh();
      const { masterKeys, pepper } = secrets.content;
      if (await isRotationPending(transaction, secrets)) return;
      secrets.replace({ masterKeys: [newStoredKey(clock.now(), random), ...masterKeys], pepper });
      await repository.recordChangeOfEverything(transaction);
    });
  }

  async #encryptAllAgain(): Promise<void> {
    for (const column of repository.encryptedColumns) await this.#encryptAgain(column);
  }

  async #encryptAgain(column: repository.EncryptedColumn): Promise<void> {
    const { database, secrets, random } = this.#deps;
    const box = new SecretBox(secrets, column.purpose);
    let after = '';
    for (;;) {
      const batch = await repository.listEncryptedValues(database.read, column, { after, limit: batchSize });
      const last = batch.at(-1);
      if (!last) return;
      const changes = batch.flatMap((from) => {
        const to = box.encryptAgain(from.value, from.key, random);
        return to === undefined ? [] : { from, to };
      });
      if (changes.length > 0) {
        await database.write(async (transaction) => {
          for (const change of changes) await repository.replaceEncryptedValue(transaction, column, change);
        });
      }
      after = last.key;
    }
  }

  async #complete(by: AuditContext): Promise<void> {
    await this.#encryptAllAgain();
    const { database, secrets, auditLog } = this.#deps;
    await database.write(async (transaction) => {
      await lockByName(transaction, 'secrets');
      if (!(await isRotationPending(transaction, secrets))) return;
      await resignChain(transaction, auditKeys(secrets.masterKeys));
      await saveFingerprint(transaction, secrets);
      const { kid } = this.#newest();
      const target = { kind: 'key', id: kid, label: 'master' } as const;
      await auditLog.record(transaction, { ...by, action: 'key.rotate', target, details: { kid } });
    });
  }

  /** Leaves only the newest key in the file. */
  async #forget(transaction: Transaction): Promise<boolean> {
    const { secrets } = this.#deps;
    await lockByName(transaction, 'secrets');
    secrets.refresh();
    const isPending = await isRotationPending(transaction, secrets);
    if (isPending || !this.#isLearned() || !this.#hasEarlier()) return false;
    const { masterKeys, pepper } = secrets.content;
    await resignChain(transaction, auditKeys(secrets.masterKeys));
    secrets.replace({ masterKeys: masterKeys.slice(0, 1), pepper });
    await repository.recordChangeOfEverything(transaction);
    return true;
  }

  #newest(): SecretKey {
    const key = this.list().find(({ purpose }) => purpose === 'master');
    if (!key) throw new Error('the secrets file has no master key');
    return key;
  }
}
