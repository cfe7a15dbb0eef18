/** Every column that a `SecretBox` encrypts under the master key; a rotation of that key encrypts them again. */
import type { Tables } from '../database/tables.ts';

export type EncryptedColumn = {
  readonly table: keyof Tables;
  /** Identifies the row; its value is also the context of the encryption. */
  readonly key: string;
  readonly column: string;
  /** The purpose of the `SecretBox`. */
  readonly purpose: string;
};

export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'signing_keys', key: 'kid', column: 'encrypted_key', purpose: 'signing keys' },
  { table: 'mails', key: 'id', column: 'encrypted_mail', purpose: 'mail queue' },
  { table: 'webhook_endpoints', key: 'id', column: 'encrypted_secret', purpose: 'webhook endpoints' },
];
