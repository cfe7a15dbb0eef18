/** The command `check`: whether the database and the secrets are sound and belong together, also while the server runs. */
import type { AuditReport } from '../audit/chain-verification.ts';
import type { Config } from '../config.ts';
import type { SecretsStatus } from './inspection.ts';
import { openStore } from './open-store.ts';
import type { Location, Store } from './store.ts';

export type CheckReport = Location & {
  /** Whether there are no problems. */
  readonly ok: boolean;
  readonly database: Store['kind'];
  readonly bytes: number;
  readonly secrets_file: string;
  readonly secrets: SecretsStatus;
  /** Those that were applied; the next start of the server applies the pending ones. */
  readonly migrations: readonly string[];
  readonly pending_migrations: readonly string[];
  readonly rows: Readonly<Record<string, number>>;
  readonly audit: AuditReport;
  /** What is wrong, one message each. */
  readonly problems: readonly string[];
};

/** Only reads. Throws `BackupError` NOT_FOUND if there is no database. */
export async function checkDatabase(config: Config): Promise<CheckReport> {
  const store = await openStore(config);
  const found = await store.inspect(config.secretsFile);
  const newer = found.unknownMigrations.map((name) => `the database is of a newer version: it has "${name}"`);
  const problems = [...newer, ...found.problems];
  return {
    ok: problems.length === 0,
    database: store.kind,
    ...store.location,
    bytes: found.bytes,
    secrets_file: config.secretsFile,
    secrets: found.secrets,
    migrations: found.migrations,
    pending_migrations: found.pendingMigrations,
    rows: found.rows,
    audit: found.audit,
    problems,
  };
}
