/** `admin check`: whether database and secrets are sound and belong together, also while the server runs. */
import { existsSync, statSync } from 'node:fs';
import type { Config } from '../config.ts';
import { BackupError } from './backup-error.ts';
import { inspectSqlite } from './inspect-sqlite.ts';
import type { SecretsVerdict } from './judge-secrets.ts';

export type CheckReport = {
  /** Whether there are no problems. */
  readonly ok: boolean;
  readonly database: 'sqlite';
  readonly database_file: string;
  readonly bytes: number;
  readonly secrets_file: string;
  readonly secrets: SecretsVerdict;
  /** What the tables are made of; the next start of the server applies the pending ones. */
  readonly migrations: readonly string[];
  readonly pending_migrations: readonly string[];
  readonly rows: Readonly<Record<string, number>>;
  /** One sentence each. */
  readonly problems: readonly string[];
};

/** Changes nothing. Throws `BackupError` NOT_FOUND where there is no database. */
export async function checkDatabase({ databaseFile, secretsFile }: Config): Promise<CheckReport> {
  if (!existsSync(databaseFile)) throw new BackupError('NOT_FOUND', `There is no database at ${databaseFile}.`);
  const found = await inspectSqlite(databaseFile, secretsFile);
  const newer = found.unknownMigrations.map((name) => `the database is of a newer version: it has "${name}"`);
  const problems = [...newer, ...found.problems];
  return {
    ok: problems.length === 0,
    database: 'sqlite',
    database_file: databaseFile,
    bytes: statSync(databaseFile).size,
    secrets_file: secretsFile,
    secrets: found.secrets,
    migrations: found.migrations,
    pending_migrations: found.pendingMigrations,
    rows: found.rows,
    problems,
  };
}
