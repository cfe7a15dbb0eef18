/** The published installer hashes of one version, for one or more platforms. */
import {
  type InstallerByHash,
  type InstallerHashes,
  type InstallerPlatform,
  installerPlatforms,
} from '../../shared/api/installer.ts';
import { normalizeInstallerHash } from '../../shared/formats/installer-hash.ts';
import type { AuditContext, AuditTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import * as repository from './installer.repository.ts';

type InstallerServiceDeps = AuditedDeps & {
  readonly outbox: EventOutbox;
};

type HashesByPlatform = Readonly<Partial<Record<InstallerPlatform, string>>>;

const maxVersionLength = 100;

export class InstallerService {
  readonly #deps: InstallerServiceDeps;

  constructor(deps: InstallerServiceDeps) {
    this.#deps = deps;
  }

  /** Returns the published hashes; `undefined` if there are none. */
  async get(): Promise<InstallerHashes | undefined> {
    return toHashes(await repository.listInstallers(this.#deps.database.read));
  }

  /**
   * Publishes the hashes of some platforms. Hashes of other platforms stay if they belong to the same version.
   * Throws `ApiError` VALIDATION_ERROR without a platform or a version, or for a malformed hash.
   */
  async publish(version: string, hashes: HashesByPlatform, by: AuditContext): Promise<InstallerHashes> {
    const { database, clock, auditLog } = this.#deps;
    const label = requireVersion(version);
    const rows = toRows(label, hashes, clock.now());
    if (rows.length === 0) throw new ApiError('VALIDATION_ERROR', 'At least one platform must have a hash.');
    const published = await database.write(async (transaction) => {
      await lockByName(transaction, 'installers');
      await saveRows(transaction, label, rows);
      await auditLog.record(transaction, {
        ...by,
        action: 'installer.publish',
        target: installerTarget(label),
        details: Object.fromEntries(rows.map(({ platform, hash }) => [platform, hash])),
      });
      return this.#queueEvent(transaction);
    });
    if (!published) throw new Error('the installer hashes just published are missing');
    return published;
  }

  /**
   * Like `publish`, as part of a caller's transaction, which holds the `installers` lock and records everything in the
   * audit log. Without a platform, changes nothing.
   */
  async publishIn(transaction: Transaction, version: string, hashes: HashesByPlatform): Promise<void> {
    const rows = toRows(version, hashes, this.#deps.clock.now());
    if (rows.length === 0) return;
    await saveRows(transaction, version, rows);
    await this.#queueEvent(transaction);
  }

  /** Queues the event with the current installers. */
  async #queueEvent(transaction: Transaction): Promise<InstallerHashes | undefined> {
    const installers = toHashes(await repository.listInstallers(transaction));
    if (!installers) return undefined;
    await this.#deps.outbox.add(transaction, { type: 'installer.published', userId: null, data: installers });
    return installers;
  }

  /**
   * Withdraws a version in the transaction of a caller that holds the lock, and forgets its files. If its hashes are
   * the published ones, publishes those of the previous version again.
   */
  async withdrawIn(transaction: Transaction, version: string, before: string | undefined): Promise<void> {
    const [published] = await repository.listInstallers(transaction);
    await repository.forgetVersion(transaction, version);
    if (published?.version !== version) return;
    await repository.deleteInstallers(transaction);
    const known = before === undefined ? [] : await repository.listKnownOf(transaction, before);
    for (const row of known) await repository.saveInstaller(transaction, row);
  }

  /** Returns the last published hashes of a version; `undefined` if there were none or it was withdrawn. */
  async getVersion(version: string): Promise<InstallerHashes | undefined> {
    return toHashes(await repository.listKnownOf(this.#deps.database.read, version));
  }

  /** Finds the installer published with this hash, including earlier versions but not withdrawn ones. */
  async find(sha256: string): Promise<InstallerByHash> {
    const known = await repository.findKnownInstaller(this.#deps.database.read, `sha256:${sha256}`);
    if (!known) return { known: false };
    const { version, platform, published_at_ms } = known;
    return { known: true, version, platform, published_at: toIso(published_at_ms) };
  }

  /** Withdraws the published version: removes its hashes and forgets its files. */
  async clear(by: AuditContext): Promise<void> {
    const { database, auditLog } = this.#deps;
    await database.write(async (transaction) => {
      await lockByName(transaction, 'installers');
      await repository.forgetPublished(transaction);
      await repository.deleteInstallers(transaction);
      await auditLog.record(transaction, { ...by, action: 'installer.clear', target: installerTarget('') });
    });
  }
}

export function installerTarget(version: string): AuditTarget {
  return { kind: 'installer', id: '', label: version };
}

async function saveRows(
  transaction: Transaction,
  version: string,
  rows: readonly repository.InstallerRow[],
): Promise<void> {
  await repository.deleteOtherVersions(transaction, version);
  for (const row of rows) {
    await repository.saveInstaller(transaction, row);
    await repository.rememberInstaller(transaction, row);
  }
}

/** Returns the trimmed version. Throws `ApiError` VALIDATION_ERROR. */
function requireVersion(version: string): string {
  const label = version.trim();
  if (label !== '' && label.length <= maxVersionLength) return label;
  throw new ApiError('VALIDATION_ERROR', `A version must have 1 to ${maxVersionLength} characters.`);
}

function toRows(version: string, hashes: HashesByPlatform, nowMs: number): repository.InstallerRow[] {
  return installerPlatforms.flatMap((platform) => {
    const given = hashes[platform];
    return given === undefined ? [] : [{ platform, version, hash: parseHash(platform, given), updated_at_ms: nowMs }];
  });
}

function parseHash(platform: InstallerPlatform, given: string): string {
  const hash = normalizeInstallerHash(given);
  if (hash === null) {
    throw new ApiError('VALIDATION_ERROR', `The hash for ${platform} must be sha256: and 64 hex characters.`);
  }
  return hash;
}

function toHashes(rows: readonly repository.InstallerRow[]): InstallerHashes | undefined {
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
