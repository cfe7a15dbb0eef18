/**
 * Replaces the master key or the pepper while servers run. It can be interrupted at any point and repeated:
 *
 * 1. The file gets the new key beside the present one, and every process learns of it. From now on the new one is used,
 *    and what was made with the one before is still understood.
 * 2. What is stored is encrypted, or hashed, again in small writes.
 * 3. The database is known by the new secrets, and the audit log says so.
 * 4. After a minute, in which the last process has learned of the new key, what was still made with the one before is
 *    found, and the file forgets that one. A server does this if the command did not.
 */
import { auditKeys } from '../audit/audit-chain.rules.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.service.ts';
import { resignChain } from '../audit/resign-chain.ts';
import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../database/database.ts';
import { noteChangeOfEverything } from '../database/note-change.ts';
import { lockByName } from '../database/row-locks.ts';
import type { LicenseHashService } from '../licenses/license-hash.service.ts';
import type { Random } from '../random.ts';
import { SecretBox } from '../secret-box.ts';
import { type SecretKey, toSecretKeys } from '../secret-key.ts';
import { findPendingRotation, type StoredSecrets, saveFingerprint } from '../secrets.ts';
import { newStoredKey, type StoredKey } from '../secrets-file.ts';
import { listEncryptedValues, replaceEncryptedValue } from './encrypted-column.repository.ts';
import { type EncryptedColumn, encryptedColumns } from './encrypted-columns.ts';

export const secretPurposes = ['master', 'pepper'] as const;
export type SecretPurpose = (typeof secretPurposes)[number];

export type SecretRotationServiceDeps = {
  readonly database: Database;
  readonly secrets: StoredSecrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly auditLog: AuditLog;
  readonly licenseHashes: LicenseHashService;
};

const batchSize = 200;
/** By then every process has learned of a new key, and the writes that it began before have ended. */
const learningMs = 60_000;

export class SecretRotationService {
  readonly #deps: SecretRotationServiceDeps;

  constructor(deps: SecretRotationServiceDeps) {
    this.#deps = deps;
  }

  /** The master keys and peppers in the file, newest first, without the keys. */
  list(): SecretKey[] {
    return toSecretKeys(this.#deps.secrets.content);
  }

  /**
   * Replaces the master key or the pepper, and returns the new one. A rotation of it that was interrupted is completed
   * instead. Throws `StartError` if the file cannot be written.
   */
  async rotate(purpose: SecretPurpose, by: AuditContext): Promise<SecretKey> {
    const interrupted = await this.#findInterrupted();
    if (interrupted) await this.#complete(by);
    if (interrupted !== purpose) {
      // What an earlier rotation may have left: the next pepper comes on top of hashes that include this one.
      if (this.#deps.secrets.isPepperRotating) await this.#updateStored();
      await this.#begin(purpose);
      await this.#complete(by);
    }
    await this.finish(by);
    return this.#newest(purpose);
  }

  /** Completes what was interrupted, and forgets earlier keys once nothing needs them. Returns whether it changed the file. */
  async finish(by: AuditContext): Promise<boolean> {
    const { database, secrets } = this.#deps;
    secrets.refresh();
    if (!this.#hasEarlier()) return false;
    if (await this.#findInterrupted()) await this.#complete(by);
    if (!this.#isLearned()) return false;
    await this.#updateStored();
    return database.write((transaction) => this.#forget(transaction));
  }

  /** Whether the file has keys that are there only until a rotation is finished. */
  #hasEarlier(): boolean {
    const { masterKeys, isPepperRotating } = this.#deps.secrets.content;
    return masterKeys.length > 1 || isPepperRotating;
  }

  /** What a rotation was to replace that has not been completed. */
  #findInterrupted(): Promise<SecretPurpose | undefined> {
    const { database, secrets } = this.#deps;
    secrets.refresh();
    return findPendingRotation(database.read, secrets);
  }

  /** Whether every process knows the newest keys. */
  #isLearned(): boolean {
    const { secrets, clock } = this.#deps;
    const { masterKeys, peppers, isPepperRotating } = secrets.content;
    const isKnown = (key: StoredKey | undefined) => key === undefined || clock.now() - key.createdAtMs >= learningMs;
    return (masterKeys.length === 1 || isKnown(masterKeys[0])) && (!isPepperRotating || isKnown(peppers.at(-1)));
  }

  /** Adds the new key to the file, unless an interrupted rotation has. */
  async #begin(purpose: SecretPurpose): Promise<void> {
    const { database, secrets, clock, random } = this.#deps;
    await database.write(async (transaction) => {
      await lockByName(transaction, 'secrets');
      secrets.refresh();
      const { masterKeys, peppers, isPepperRotating } = secrets.content;
      if (await findPendingRotation(transaction, secrets)) return;
      const key = newStoredKey(clock.now(), random);
      secrets.replace(
        purpose === 'master'
          ? { masterKeys: [key, ...masterKeys], peppers, isPepperRotating }
          : { masterKeys, peppers: [...peppers, key], isPepperRotating: true },
      );
      await noteChangeOfEverything(transaction);
    });
  }

  async #updateStored(): Promise<void> {
    for (const column of encryptedColumns) await this.#encryptAgain(column);
    await this.#deps.licenseHashes.update();
  }

  async #encryptAgain(column: EncryptedColumn): Promise<void> {
    const { database, secrets, random } = this.#deps;
    const box = new SecretBox(secrets, column.purpose);
    let after = '';
    for (;;) {
      const batch = await listEncryptedValues(database.read, column, { after, limit: batchSize });
      const last = batch.at(-1);
      if (!last) return;
      const changes = batch.flatMap((from) => {
        const to = box.encryptAgain(from.value, from.key, random);
        return to === undefined ? [] : { from, to };
      });
      if (changes.length > 0) {
        await database.write(async (transaction) => {
          for (const change of changes) await replaceEncryptedValue(transaction, column, change);
        });
      }
      after = last.key;
    }
  }

  async #complete(by: AuditContext): Promise<void> {
    await this.#updateStored();
    const { database, secrets, auditLog } = this.#deps;
    await database.write(async (transaction) => {
      await lockByName(transaction, 'secrets');
      const purpose = await findPendingRotation(transaction, secrets);
      if (!purpose) return;
      await resignChain(transaction, auditKeys(secrets.masterKeys));
      await saveFingerprint(transaction, secrets);
      const { kid } = this.#newest(purpose);
      const target = { kind: 'key', id: kid, label: purpose } as const;
      await auditLog.record(transaction, { ...by, action: 'key.rotate', target, details: { kid } });
    });
  }

  /** Leaves only the newest master key in the file. Peppers stay, because every hash includes all of them. */
  async #forget(transaction: Transaction): Promise<boolean> {
    const { secrets } = this.#deps;
    await lockByName(transaction, 'secrets');
    secrets.refresh();
    const { masterKeys, peppers } = secrets.content;
    const isPending = (await findPendingRotation(transaction, secrets)) !== undefined;
    if (isPending || !this.#isLearned() || !this.#hasEarlier()) return false;
    await resignChain(transaction, auditKeys(secrets.masterKeys));
    secrets.replace({ masterKeys: masterKeys.slice(0, 1), peppers, isPepperRotating: false });
    await noteChangeOfEverything(transaction);
    return true;
  }

  #newest(purpose: SecretPurpose): SecretKey {
    const key = this.list().find((each) => each.purpose === purpose);
    if (!key) throw new Error(`the secrets file has no ${purpose}`);
    return key;
  }
}
