/** The keys of the secrets file as an admin sees them. */
import { createHmac } from 'node:crypto';
import { toIso } from '../clock.ts';
import type { SecretsContent, StoredKey } from './secrets-file.ts';

/** A key of the secrets file; `kid` is derived from the key but reveals nothing about it. */
export type SecretKey = {
  /** The same as `kid`, because the entries of every list have an `id`. */
  readonly id: string;
  readonly kid: string;
  readonly purpose: 'master' | 'pepper';
  readonly algorithm: string;
  readonly created_at: string;
  /** When the next key was created; null for the one in use. */
  readonly retires_at: string | null;
};

/** Lists the master keys, newest first, then the pepper. */
export function toSecretKeys({ masterKeys, pepper }: SecretsContent): SecretKey[] {
  return [...describe(masterKeys, 'master', 'A256GCM'), ...describe([pepper], 'pepper', 'HS256')];
}

function describe(keys: readonly StoredKey[], purpose: SecretKey['purpose'], algorithm: string): SecretKey[] {
  return keys.map(({ key, createdAtMs }, index) => {
    const [kid, next] = [keyId(key, purpose), keys[index - 1]];
    const retiresAt = next ? toIso(next.createdAtMs) : null;
    return { id: kid, kid, purpose, algorithm, created_at: toIso(createdAtMs), retires_at: retiresAt };
  });
}

/** Derives a UUID version 8 (RFC 9562 §5.8) from the key. */
function keyId(key: Buffer, purpose: string): string {
  const hex = createHmac('sha256', key).update(`id of ${purpose}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
