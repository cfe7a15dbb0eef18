/** Replaces keys, by command and on a schedule, and lists them. */
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditLogService } from '../audit/audit-log.service.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { findCurrentKey, listUsableKeys, type SigningKeyRow, type SigningPurpose } from './signing-key.repository.ts';
import type { SigningKeyService } from './signing-key.service.ts';

/** A key as an admin sees it, without the key itself. */
export type AdminKey = {
  /** The same as `kid`, because the entries of every list have an `id`. */
  readonly id: string;
  readonly kid: string;
  readonly purpose: KeyPurpose;
  readonly algorithm: string;
  readonly created_at: string;
  /** When it stops verifying; null for the one in use. */
  readonly retires_at: string | null;
  /** True if it is published but signs nothing until the next rotation. */
  readonly prepared?: true;
};

export const signingPurposes = ['access-token', 'lease'] as const;
export type KeyPurpose = (typeof signingPurposes)[number];

/** Purposes whose keys are replaced on a schedule. */
const scheduledPurposes: readonly KeyPurpose[] = ['access-token'];

export type KeyRotationServiceDeps = CommonDeps & {
  readonly auditLog: AuditLogService;
  readonly signingKeys: SigningKeyService;
  readonly leaseKeys: SigningKeyService;
};

/** `isCompromised`: true if somebody else may have the replaced keys. */
export type RotationOptions = { readonly isCompromised?: boolean };

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
   * Replaces the keys older than `ageMs`, except lease keys, which may be built into an app. The first process that
   * finds such an old key replaces it.
   */
  async rotateOlderThan(ageMs: number, by: AuditContext): Promise<AdminKey[]> {
    const { database } = this.#deps;
    if ((await this.#findOlderThan(database.read, ageMs)).length === 0) return [];
    return database.write(async (transaction) => {
      await lockByName(transaction, 'signing keys');
      const created: AdminKey[] = [];
      for (const purpose of await this.#findOlderThan(transaction, ageMs)) {
        created.push(await this.#rotate(transaction, purpose, by));
      }
      return created;
    });
  }

  async #findOlderThan(executor: Executor, ageMs: number): Promise<KeyPurpose[]> {
    const old: KeyPurpose[] = [];
    for (const purpose of scheduledPurposes) {
      const key = await findCurrentKey(executor, stored[purpose]);
      if (key && this.#deps.clock.now() - key.created_at_ms >= ageMs) old.push(purpose);
    }
    return old;
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

const stored: Readonly<Record<KeyPurpose, SigningPurpose>> = { 'access-token': 'access_token', lease: 'lease' };

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
