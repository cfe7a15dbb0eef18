/**
 * The update feed: the versions offered to installed apps. Rows in the database define its content, with all rows of a
 * version in one transaction. The files are in the data folder, complete before that transaction commits.
 */

import { basename } from 'node:path';
import { type InstallerPlatform, installerPlatforms } from '../../shared/api/installer.ts';
import type { UpdateChannel, UpdateFileKind } from '../../shared/api/update-feed.ts';
import { parseUpdateManifest, type UpdateManifestClaims } from '../../shared/update-manifest.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { type InstallerService, installerTarget } from '../installers/installer.service.ts';
import { findEmbeddedBlockMap } from './embedded-block-map.ts';
import { readManifest, requireListed } from './manifest-check.ts';
import * as repository from './update-feed.repository.ts';
import {
  byKind,
  byVersion,
  type FeedFile,
  type FeedVersion,
  findOffer,
  maxVersions,
  type Offer,
  requireFeedVersion,
  requireFileName,
  requirePublishable,
} from './update-feed.rules.ts';
import type { StagedFile, UpdateFiles } from './update-files.ts';

type UpdateFeedDeps = Pick<AuditedDeps, 'database' | 'clock' | 'auditLog'> & {
  readonly installers: InstallerService;
  readonly files: UpdateFiles;
  /** The publisher's keys. If any are known, a version needs a manifest that one of them has signed. */
  readonly publisherKeys: { readonly keys: readonly unknown[] };
};

export type Publication = {
  readonly version: string;
  /** Files to publish, with absolute paths. */
  readonly files: readonly { readonly kind: UpdateFileKind; readonly path: string }[];
  /** Compact JWS. Without one, the manifest of an earlier publication of the same version must list the files. */
  readonly manifest: string | undefined;
  /** Default: unchanged for a version in the feed, otherwise 100. */
  readonly percent: number | undefined;
};

type StagedFeedFile = FeedFile & { readonly staged: StagedFile };

export class UpdateFeedService {
  readonly #deps: UpdateFeedDeps;

  constructor(deps: UpdateFeedDeps) {
    this.#deps = deps;
  }

  /** Returns the versions, newest first. */
  list(): Promise<FeedVersion[]> {
    return readVersions(this.#deps.database.read);
  }

  /** Returns what a channel offers; `undefined` if this server has no files for it. */
  async findOffer(channel: UpdateChannel): Promise<Offer | undefined> {
    return findOffer(await this.list(), channel, (file) => this.#deps.files.has(file));
  }

  /** Returns the manifest of a version, by default of the newest; `undefined` if there is none. */
  async findManifest(version?: string): Promise<string | undefined> {
    const versions = await this.list();
    const found = version === undefined ? versions[0] : versions.find((candidate) => candidate.version === version);
    return found?.manifest ?? undefined;
  }

  findFile(version: string, name: string): Promise<FeedFile | undefined> {
    return repository.findFile(this.#deps.database.read, version, name);
  }

  /** Opens a file for reading. Throws `ApiError` NOT_FOUND if this server does not have it. */
  open({ sha256, bytes }: FeedFile) {
    return this.#deps.files.open(sha256, bytes);
  }

  /** Returns the files that are missing from this server's data folder or have another length there. */
  listMissing(files: readonly FeedFile[]): FeedFile[] {
    return files.filter((file) => !this.#deps.files.has(file));
  }

  /**
   * Publishes files of a version and their hashes. Files of this version that were published before stay, and a file
   * cannot be replaced by another. Throws `ApiError` without having changed anything: VALIDATION_ERROR or CONFLICT for
   * what must not be published, NOT_FOUND for a file that cannot be read, SERVICE_UNAVAILABLE if the data folder cannot
   * be written.
   */
  async publish({ version, files, manifest, percent }: Publication, by: AuditContext): Promise<FeedVersion> {
    const { database, files: stored, publisherKeys } = this.#deps;
    requireFeedVersion(version);
    if (files.length === 0) throw new ApiError('VALIDATION_ERROR', 'Give the file of at least one platform.');
    for (const { path } of files) requireFileName(basename(path));
    const claims = manifest === undefined ? undefined : await readManifest(manifest, publisherKeys);
    const staged: StagedFeedFile[] = [];
    try {
      for (const { kind, path } of files) staged.push(await this.#stage(kind, path));
      await database.write(async (transaction) => {
        await lockByName(transaction, 'installers');
        await this.#save(transaction, { version, staged, manifest, claims, percent }, by);
        // Placed before the commit, so that a version is never offered without its files.
        stored.place(staged.map((file) => file.staged));
      });
    } finally {
      stored.discard(staged.map((file) => file.staged));
    }
    await this.#removeUnusedFiles();
    return this.#require(version);
  }

  /** Sets the percentage of devices that are offered a version; 0 stops the rollout. Throws `ApiError` NOT_FOUND. */
  async rollout(version: string, percent: number, by: AuditContext): Promise<FeedVersion> {
    const { database, auditLog } = this.#deps;
    await database.write(async (transaction) => {
      await lockByName(transaction, 'installers');
      requireIn(await readVersions(transaction), version);
      await repository.setPercent(transaction, version, percent);
      const details = { percent };
      await auditLog.record(transaction, {
        ...by,
        action: 'installer.rollout',
        target: installerTarget(version),
        details,
      });
    });
    return this.#require(version);
  }

  /**
   * Removes a version from the feed, and withdraws its hashes. Returns the version offered from then on, if any: the
   * one before. Throws `ApiError` NOT_FOUND for a version that is not in the feed.
   */
  async withdraw(version: string, by: AuditContext): Promise<FeedVersion | undefined> {
    const { database, auditLog, installers } = this.#deps;
    await database.write(async (transaction) => {
      await lockByName(transaction, 'installers');
      const versions = await readVersions(transaction);
      const index = versions.indexOf(requireIn(versions, version));
      await repository.deleteVersions(transaction, [version]);
      await installers.withdrawIn(transaction, version, versions[index + 1]?.version);
      await auditLog.record(transaction, { ...by, action: 'installer.withdraw', target: installerTarget(version) });
    });
    await this.#removeUnusedFiles();
    const [newest] = await this.list();
    return newest;
  }

  async #stage(kind: UpdateFileKind, path: string): Promise<StagedFeedFile> {
    const staged = await this.#deps.files.stage(path);
    const blockMapBytes = isAppImage(kind) ? await findEmbeddedBlockMap(staged.path) : undefined;
    const { bytes, sha256, sha512 } = staged;
    const file = { name: basename(path), kind, bytes, sha256, sha512, block_map_bytes: blockMapBytes ?? null };
    return { ...file, staged };
  }

  async #save(
    transaction: Transaction,
    { version, staged, manifest, claims, percent }: SavedPublication,
    by: AuditContext,
  ): Promise<void> {
    const { auditLog, clock, installers, publisherKeys } = this.#deps;
    const versions = await readVersions(transaction);
    requirePublishable(version, staged, versions);
    const before = versions.find((candidate) => candidate.version === version);
    const used = claims ?? claimsOf(before);
    if (used) requireListed(used, version, [...(before?.files ?? []), ...staged]);
    else if (publisherKeys.keys.length > 0 || versions[0]?.manifest) throw manifestMissing();
    const nowMs = clock.now();
    const row = {
      version,
      percent: percent ?? before?.percent ?? 100,
      manifest: manifest ?? before?.manifest ?? null,
      released_at_ms: used ? used.released_at * 1000 : (before?.released_at_ms ?? nowMs),
      published_at_ms: before?.published_at_ms ?? nowMs,
    };
    await repository.saveVersion(transaction, row);
    await repository.addFiles(
      transaction,
      staged.map(({ staged: _, ...file }) => ({ ...file, version })),
    );
    const kept = versions.filter((other) => other !== before).slice(0, maxVersions - 1);
    const dropped = versions.filter((other) => other !== before && !kept.includes(other));
    await repository.deleteVersions(
      transaction,
      dropped.map((other) => other.version),
    );
    // Republishing a file of an older version must not make `/binary-hash` go back to it.
    const isNewest = versions.every((other) => byVersion({ version }, other) <= 0);
    if (isNewest) await installers.publishIn(transaction, version, hashesOf(staged));
    await auditLog.record(transaction, {
      ...by,
      action: 'installer.publish',
      target: installerTarget(version),
      details: {
        ...Object.fromEntries(staged.map(({ name, sha256 }) => [name, `sha256:${sha256}`])),
        feed: true,
        percent: row.percent,
        manifest: row.manifest !== null,
      },
    });
  }

  /**
   * Removes files that no version uses, holding the lock so that no other process places a file meanwhile. A file that
   * cannot be removed is removed next time.
   */
  async #removeUnusedFiles(): Promise<void> {
    const { database, files, clock } = this.#deps;
    await database.write(async (transaction) => {
      await lockByName(transaction, 'installers');
      const rows = await repository.listFiles(transaction);
      files.removeUnused(new Set(rows.map(({ sha256 }) => sha256)), clock.now());
    });
  }

  async #require(version: string): Promise<FeedVersion> {
    return requireIn(await this.list(), version);
  }
}

type SavedPublication = Omit<Publication, 'files'> & {
  readonly staged: readonly StagedFeedFile[];
  readonly claims: UpdateManifestClaims | undefined;
};

async function readVersions(executor: Executor): Promise<FeedVersion[]> {
  const versions = await repository.listVersions(executor);
  const files = Map.groupBy(await repository.listFiles(executor), ({ version }) => version);
  return versions.map((row) => ({ ...row, files: (files.get(row.version) ?? []).sort(byKind) })).sort(byVersion);
}

function isAppImage(kind: UpdateFileKind): boolean {
  return kind === 'linux_amd64' || kind === 'linux_arm64';
}

/** Returns the hashes of the files that `/binary-hash` serves. */
function hashesOf(files: readonly FeedFile[]): Partial<Record<InstallerPlatform, string>> {
  const hashes: Partial<Record<InstallerPlatform, string>> = {};
  for (const platform of installerPlatforms) {
    const file = files.find(({ kind }) => kind === platform);
    if (file) hashes[platform] = `sha256:${file.sha256}`;
  }
  return hashes;
}

function claimsOf(version: FeedVersion | undefined): UpdateManifestClaims | undefined {
  return version?.manifest ? parseUpdateManifest(version.manifest)?.claims : undefined;
}

function requireIn(versions: readonly FeedVersion[], version: string): FeedVersion {
  const found = versions.find((candidate) => candidate.version === version);
  if (found) return found;
  throw new ApiError('NOT_FOUND', `The update feed has no version ${version}.`);
}

function manifestMissing(): ApiError {
  return new ApiError(
    'VALIDATION_ERROR',
    'This version needs a manifest, because apps with the keys of the publisher install nothing without one: sign the ' +
      'files by "npm run sign-update", and give --manifest FILE.',
  );
}
