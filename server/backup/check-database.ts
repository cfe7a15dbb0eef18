/**
 * The command `check`: verifies that the database and the secrets are sound and belong together, even while the server
 * runs.
 */
import { existsSync } from 'node:fs';
import type { AuditReport } from '../audit/chain-verification.ts';
import { HeadStore } from '../audit/head-store.ts';
import { dayMs, toIso, toIsoOrNull } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import { findBackupProblems, findBackupWarnings, type ListedBackup, toListedBackup } from './backup-report.ts';
import { findDataFolderProblems, findSpaceWarnings, isDiskFull, readFreeBytes } from './data-folder.ts';
import type { KeyFact, SecretsStatus } from './inspection.ts';
import { findProven } from './last-proven.ts';
import { dryRunMigrations, type UpgradeReport } from './migration-dry-run.ts';
import { openStore } from './open-store.ts';
import { readSettingContext } from './setting-context.ts';
import { findSettingProblems } from './setting-problems.ts';
import { findSettingWarnings } from './setting-warnings.rules.ts';
import { unreadable } from './sqlite-file.ts';
import type { Location, Store } from './store.ts';

export type CheckReport = Location & {
  /** True if there are no problems. */
  readonly ok: boolean;
  readonly database: Store['kind'];
  /** The size of the whole database, including its write-ahead log. */
  readonly bytes: number;
  /** Size of the write-ahead log, on SQLite. */
  readonly write_ahead_log_bytes?: number;
  readonly secrets_file: string;
  readonly secrets: SecretsStatus;
  /** Applied migrations; the next start of the server applies the pending ones. */
  readonly migrations: readonly string[];
  readonly pending_migrations: readonly string[];
  readonly rows: Readonly<Record<string, number>>;
  readonly audit: AuditReport;
  /** When a scheduled backup was last restored for comparison: an ISO 8601 time, or null. */
  readonly last_proven_restore: string | null;
  /** Scheduled backups, newest first. */
  readonly backups: readonly ListedBackup[];
  /** Ages of the keys in use. */
  readonly keys: readonly KeyAge[];
  /** Present only if it was requested, and the database can be read. */
  readonly upgrade?: UpgradeReport;
  /** What is wrong, one message each. */
  readonly problems: readonly string[];
  /** What works but should be known or changed, one message each. Warnings do not make the check fail. */
  readonly warnings: readonly string[];
};

/** Age of a key, without the key itself. */
type KeyAge = {
  readonly purpose: string;
  readonly kid: string;
  readonly created_at: string;
  readonly age_days: number;
};

type CheckInput = Pick<CommonDeps, 'config' | 'clock'> & {
  /** True to find out what an upgrade would do. */
  readonly upgrade?: boolean;
};

/**
 * Checks the database and the secrets, and changes nothing. Throws `BackupError` NOT_FOUND if there is no database, and
 * with `upgrade` also NEWER_VERSION.
 */
export async function checkDatabase({ config, clock, upgrade = false }: CheckInput): Promise<CheckReport> {
  const store = await openStore(config);
  // Read before the database, which a server may be writing to.
  const remembered = await new HeadStore(config).read();
  const { secretsFile, mail } = config;
  const found = await store.inspect({ secretsFile, remembered, nowMs: clock.now(), isMailOn: mail !== undefined });
  const newer = found.unknownMigrations.map((name) => `the database is of a newer version: it has "${name}"`);
  const backups = found.backups.map(toListedBackup);
  const freeBytes = existsSync(config.dataFolder) ? readFreeBytes(config.dataFolder) : Number.POSITIVE_INFINITY;
  // SQLite needs some space to read, and the problem of the disk is listed already.
  const isFull = isDiskFull(config, freeBytes);
  const problems = [
    ...newer,
    ...findDataFolderProblems(config, freeBytes),
    ...found.problems.filter((problem) => !isFull || !problem.startsWith(unreadable)),
    ...(await findBackupProblems(config, found.backups)),
    ...(await findSettingProblems(config)),
  ];
  const { owners, plans } = found;
  const context = readSettingContext(config, { owners, plans, nowMs: clock.now() });
  const warnings = [
    ...found.warnings,
    ...findSpaceWarnings(config, found.bytes, freeBytes),
    ...findBackupWarnings(config, found.backups, clock.now()),
    ...findSettingWarnings(config, context),
  ];
  const lastProvenAt = toIsoOrNull(findProven(found.backups)?.proven_at_ms);
  return {
    ok: problems.length === 0,
    database: store.kind,
    ...store.location,
    bytes: found.bytes,
    ...(found.writeAheadLogBytes !== undefined && { write_ahead_log_bytes: found.writeAheadLogBytes }),
    secrets_file: secretsFile,
    secrets: found.secrets,
    migrations: found.migrations,
    pending_migrations: found.pendingMigrations,
    rows: found.rows,
    audit: found.audit,
    last_proven_restore: lastProvenAt,
    backups,
    keys: found.keys.map((key) => describeAge(key, clock.now())),
    ...(upgrade && found.migrations.length > 0 && { upgrade: await dryRunMigrations(store, found, lastProvenAt) }),
    problems,
    warnings,
  };
}

function describeAge({ purpose, kid, createdAtMs }: KeyFact, nowMs: number): KeyAge {
  return { purpose, kid, created_at: toIso(createdAtMs), age_days: Math.floor((nowMs - createdAtMs) / dayMs) };
}
