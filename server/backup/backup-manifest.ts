/** What a backup file says of itself, and the names of what is in it. */
import { z } from 'zod';

/** The manifest comes first in the file, so that one can read it without unpacking the rest. */
export const manifestName = 'manifest.json';
export const secretsName = 'secrets.json';

/** The database, always as a file of SQLite's: a backup can be restored to either kind. */
export const databaseName = 'latchkey.db';

const file = z.object({
  name: z.string(),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export const backupManifest = z.object({
  format: z.literal('latchkey-backup'),
  version: z.literal(1),
  created_at: z.iso.datetime(),
  /** What the database was kept in. */
  taken_from: z.enum(['sqlite', 'postgres']),
  /** The migrations that the database had applied: by them a restore tells whether it knows the tables. */
  migrations: z.array(z.string()),
  /** How many rows each table had. */
  rows: z.record(z.string(), z.int().nonnegative()),
  files: z.array(file).length(2),
});
export type BackupManifest = z.infer<typeof backupManifest>;
