/** The published hashes of the installers: of one version, for one to three platforms. */
import { type InstallerHashes, type InstallerPlatform, installerPlatforms } from '../../shared/api/installer.ts';
import { normaliseInstallerHash } from '../../shared/formats/installer-hash.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import {
  deleteInstallers,
  deleteOtherVersions,
  type InstallerRow,
  listInstallers,
  saveInstaller,
} from './installer.repository.ts';

export type InstallerService = {
  /** `undefined` where nothing is published. */
  get(): Promise<InstallerHashes | undefined>;
  /**
   * Publishes the hashes of some platforms; those of others stay where they are of the same version.
   * Throws `ApiError` VALIDATION_ERROR for no platform, a hash that is none, or no version.
   */
  publish(version: string, hashes: Readonly<Partial<Record<InstallerPlatform, string>>>): Promise<InstallerHashes>;
  /** Publishes nothing any more. */
  clear(): Promise<void>;
};

const longestVersion = 100;

type Parts = { database: Database; clock: Clock };

export function createInstallerService({ database, clock }: Parts): InstallerService {
  return {
    get: async () => toHashes(await listInstallers(database.read)),
    async publish(version, hashes) {
      const rows = readRows(version.trim(), hashes, clock.now());
      const published = await database.write(async (transaction) => {
        await deleteOtherVersions(transaction, version.trim());
        for (const row of rows) await saveInstaller(transaction, row);
        return toHashes(await listInstallers(transaction));
      });
      if (!published) throw new Error('what was just published is gone');
      return published;
    },
    clear: () => database.write(deleteInstallers),
  };
}

function readRows(
  version: string,
  hashes: Readonly<Partial<Record<InstallerPlatform, string>>>,
  nowMs: number,
): InstallerRow[] {
  if (version === '' || version.length > longestVersion) {
    throw new ApiError('VALIDATION_ERROR', `A version has 1 to ${longestVersion} characters.`);
  }
  const rows = installerPlatforms.flatMap((platform) => {
    const given = hashes[platform];
    return given === undefined ? [] : [{ platform, version, hash: readHash(platform, given), updated_at_ms: nowMs }];
  });
  if (rows.length === 0) throw new ApiError('VALIDATION_ERROR', 'Name the installer of at least one platform.');
  return rows;
}

function readHash(platform: InstallerPlatform, given: string): string {
  const hash = normaliseInstallerHash(given);
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
