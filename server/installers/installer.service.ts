/** The published hashes of the installers: of one version, for one or more platforms. */
import {
  type InstallerByHash,
  type InstallerHashes,
  type InstallerPlatform,
  installerPlatforms,
} from '../../shared/api/installer.ts';
import { normalizeInstallerHash } from '../../shared/formats/installer-hash.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditLogService } from '../audit/audit-log.service.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import {
  deleteInstallers,
  deleteOtherVersions,
  findKnownInstaller,
  forgetPublished,
  type InstallerRow,
  listInstallers,
  rememberInstaller,
  saveInstaller,
} from './installer.repository.ts';

export type InstallerServiceDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly auditLog: AuditLogService;
  readonly outbox: EventOutbox;
};

type HashesByPlatform = Readonly<Partial<Record<InstallerPlatform, string>>>;

const maxVersionLength = 100;

export class InstallerService {
  readonly #deps: InstallerServiceDeps;

  constructor(deps: InstallerServiceDeps) {
    this.#deps = deps;
  }

  /** `undefined` if nothing is published. */
  async get(): Promise<InstallerHashes | undefined> {
    return toHashes(await listInstallers(this.#deps.database.read));
  }

  /**
   * Publishes the hashes of some platforms. Those of other platforms stay if they are of the same version.
   * Throws `ApiError` VALIDATION_ERROR without a platform or a version, or for a malformed hash.
   */
  async publish(version: string, hashes: HashesByPlatform, by: AuditContext): Promise<InstallerHashes> {
    const { database, clock, auditLog, outbox } = this.#deps;
    const label = version.trim();
    const rows = toRows(label, hashes, clock.now());
    const published = await database.write(async (transaction) => {
      await lockByName(transaction, 'installers');
      await deleteOtherVersions(transaction, label);
      for (const row of rows) {
        await saveInstaller(transaction, row);
        await rememberInstaller(transaction, row);
      }
      await auditLog.record(transaction, {
        ...by,
        action: 'installer.publish',
        target: { kind: 'installer', id: '', label },
        details: Object.fromEntries(rows.map(({ platform, hash }) => [platform, hash])),
      });
      const installers = toHashes(await listInstallers(transaction));
      if (installers) await outbox.add(transaction, { type: 'installer.published', userId: null, data: installers });
      return installers;
    });
    if (!published) throw new Error('the installer hashes just published are missing');
    return published;
  }

  /** What was published with this hash, also as an earlier version; a version that was withdrawn is not known. */
  async find(sha256: string): Promise<InstallerByHash> {
    const known = await findKnownInstaller(this.#deps.database.read, `sha256:${sha256}`);
    if (!known) return { known: false };
    const { version, platform, published_at_ms } = known;
    return { known: true, version, platform, published_at: toIso(published_at_ms) };
  }

  /** Withdraws the published version: its hashes are removed, and its files are not known any more. */
  async clear(by: AuditContext): Promise<void> {
    const { database, auditLog } = this.#deps;
    await database.write(async (transaction) => {
      await lockByName(transaction, 'installers');
      await forgetPublished(transaction);
      await deleteInstallers(transaction);
      const target = { kind: 'installer', id: '', label: '' } as const;
      await auditLog.record(transaction, { ...by, action: 'installer.clear', target });
    });
  }
}

function toRows(version: string, hashes: HashesByPlatform, nowMs: number): InstallerRow[] {
  if (version === '' || version.length > maxVersionLength) {
    throw new ApiError('VALIDATION_ERROR', `A version must have 1 to ${maxVersionLength} characters.`);
  }
  const rows = installerPlatforms.flatMap((platform) => {
    const given = hashes[platform];
    return given === undefined ? [] : [{ platform, version, hash: parseHash(platform, given), updated_at_ms: nowMs }];
  });
  if (rows.length === 0) throw new ApiError('VALIDATION_ERROR', 'At least one platform must have a hash.');
  return rows;
}

function parseHash(platform: InstallerPlatform, given: string): string {
  const hash = normalizeInstallerHash(given);
  if (hash === null) {
    throw new ApiError('VALIDATION_ERROR', `The hash for ${platform} must be sha256: and 64 hex characters.`);
  }
  return hash;
}

function toHashes(rows: readonly InstallerRow[]): InstallerHashes | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const hashes: InstallerHashes['hashes'] = {};
  for (const platform of installerPlatforms) {
    const row = rows.find((candidate) => candidate.platform === platform);
    if (row) hashes[platform] = row.hash;
  }
  const updatedAtMs = Math.max(...rows.map((row) => row.updated_at_ms));
  return { version: first.version, hashes, updated_at: toIso(updatedAtMs) };
}
