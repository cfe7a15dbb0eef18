/** Replaces keys, by command and on a schedule, and lists them. */
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import type { SecretKey } from '../secrets/secret-key.ts';
import { findCurrentKey, listUsableKeys, type SigningKeyRow } from './signing-key.repository.ts';
import type { SigningKeyService } from './signing-key.service.ts';

/** A key as an admin sees it, without the key itself. */
export type AdminKey = Omit<SecretKey, 'purpose'> & {
  readonly purpose: KeyPurpose;
  /** True if it is published but signs nothing until the next rotation. */
  readonly prepared?: true;
};

/** As in commands and their output; the database has `access_token`. */
export const signingPurposes = ['access-token', 'lease'] as const;
export type KeyPurpose = (typeof signingPurposes)[number];

type KeyRotationServiceDeps = AuditedDeps & {
  readonly signingKeys: SigningKeyService;
  readonly leaseKeys: SigningKeyService;
};

/** `isCompromised`: true if somebody else may have the replaced keys. */
type RotationOptions = { readonly isCompromised?: boolean };

export class KeyRotationService {
  readonly #deps: KeyRotationServiceDeps;

  constructor(deps: KeyRotationServiceDeps) {
    this.#deps = deps;
  }

  /** Lists all keys that are in use or still verify what they signed, newest first. */
  async list(): Promise<AdminKey[]> {
    const { database, clock } = this.#deps;
    return (await listUsableKeys(database.read, { nowMs: clock.now() })).map(toAdminKey);
  }

  /**
   * Replaces the keys that sign, and returns the new ones. What was signed before stays valid, unless the keys are
   * compromised.
   */
  rotate(purposes: readonly KeyPurpose[], by: AuditContext, options: RotationOptions = {}): Promise<AdminKey[]> {
    return this.#deps.database.write(async (transaction) => {
      await lockByName(transaction, 'signing keys');
      const created: AdminKey[] = [];
      for (const purpose of purposes) created.push(await this.#rotate(transaction, purpose, by, options));
      return created;
    });
  }

  /** Publishes the next lease key, which signs nothing until `rotate`. Returns it, even if it was already prepared. */
  prepareLeaseKey(by: AuditContext): Promise<AdminKey> {
    const { database, leaseKeys, auditLog } = this.#deps;
    return database.write(async (transaction) => {
      await lockByName(transaction, 'signing keys');
      const prepared = await leaseKeys.prepare(transaction);
      await auditLog.record(transaction, {
        ...by,
        action: 'key.prepare',
        target: { kind: 'key', id: prepared.kid, label: 'lease' },
        details: { kid: prepared.kid },
      });
      return toAdminKey(prepared);
    });
  }

  /**
   * Replaces the key of access tokens if it is older than `ageMs`; lease keys may be built into an app. The first
   * process that finds such an old key replaces it.
   */
  async rotateOlderThan(ageMs: number, by: AuditContext): Promise<AdminKey[]> {
    const { database } = this.#deps;
    if (!(await this.#isOlderThan(database.read, ageMs))) return [];
    return database.write(async (transaction) => {
      await lockByName(transaction, 'signing keys');
      return (await this.#isOlderThan(transaction, ageMs)) ? [await this.#rotate(transaction, 'access-token', by)] : [];
    });
  }

  async #isOlderThan(executor: Executor, ageMs: number): Promise<boolean> {
    const key = await findCurrentKey(executor, 'access_token');
    return key !== undefined && this.#deps.clock.now() - key.created_at_ms >= ageMs;
  }

  async #rotate(
    transaction: Transaction,
    purpose: KeyPurpose,
    by: AuditContext,
    { isCompromised = false }: RotationOptions = {},
  ): Promise<AdminKey> {
    const { auditLog, signingKeys, leaseKeys } = this.#deps;
    const keys = purpose === 'access-token' ? signingKeys : leaseKeys;
    const { created, replaced } = await keys.rotate(transaction, { isCompromised });
    await auditLog.record(transaction, {
      ...by,
      action: 'key.rotate',
      target: { kind: 'key', id: created.kid, label: purpose },
      details: { kid: created.kid, replaces: replaced?.kid ?? null, ...(isCompromised && { compromised: true }) },
    });
    return toAdminKey(created);
  }
}

function toAdminKey(row: SigningKeyRow): AdminKey {
  return {
    id: row.kid,
    kid: row.kid,
    purpose: row.purpose === 'lease' ? 'lease' : 'access-token',
    algorithm: row.algorithm,
    created_at: toIso(row.created_at_ms),
    retires_at: toIsoOrNull(row.retired_at_ms),
    ...(row.is_prepared === 1 && { prepared: true }),
  };
}
