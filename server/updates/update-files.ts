/**
 * Stores the files of the update feed in `updates` of the data folder. Each is named by its SHA-256, so that no file
 * can replace another, and no name from a person or client ever becomes a path.
 */
import { createHash, type Hash, randomBytes } from 'node:crypto';
import { constants, createWriteStream, existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asOwnerOf } from '../act-as-owner.ts';
import { giveToOwnerOf, syncPath } from '../atomic-write.ts';
import { createFolder } from '../create-folder.ts';
import { ApiError } from '../errors.ts';

/** A file that was copied into the folder and hashed while copying; it cannot be downloaded before it is placed. */
export type StagedFile = {
  readonly path: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  /** In base64. */
  readonly sha512: string;
};

const chunkBytes = 1024 * 1024;
const stagedPattern = /^\.[0-9a-f]{16}\.new$/;
const placedPattern = /^[0-9a-f]{64}$/;
/** Time without changes after which a staged file counts as abandoned, in ms; a copy in progress changes constantly. */
const abandonedMs = 60 * 60 * 1000;

export class UpdateFiles {
  readonly #folder: string;

  /** Creates nothing on disk until the first file is staged. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Copies a regular file into the folder and syncs it. Throws `ApiError` NOT_FOUND if it cannot be read,
   * VALIDATION_ERROR if it is empty, SERVICE_UNAVAILABLE if it cannot be written.
   */
  async stage(source: string): Promise<StagedFile> {
    await using input = await openSource(source);
    return await this.#asOwner(() => this.#copy(input, source));
  }

  async #copy(input: FileHandle, source: string): Promise<StagedFile> {
    const path = join(this.#folder, `.${randomBytes(8).toString('hex')}.new`);
    const [sha256, sha512] = [createHash('sha256'), createHash('sha512')];
    try {
      this.#createFolder();
      await pipeline(
        input.createReadStream({ highWaterMark: chunkBytes, autoClose: false }),
        hashing([sha256, sha512]),
        createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
      );
      giveToOwnerOf(this.#folder, path);
    } catch (error) {
      this.discard([{ path }]);
      throw toApiError(error, this.#folder);
    }
    const bytes = statSync(path).size;
    if (bytes === 0) {
      this.discard([{ path }]);
      throw new ApiError('VALIDATION_ERROR', `The file ${source} is empty.`);
    }
    return { path, bytes, sha256: sha256.digest('hex'), sha512: sha512.digest('base64') };
  }

  /** Moves staged files to where they can be downloaded. May be called again. */
  place(files: readonly StagedFile[]): void {
    this.#asOwner(() => {
      for (const { path, sha256 } of files) {
        const isStaged = statSync(path, { throwIfNoEntry: false }) !== undefined;
        if (isStaged) renameSync(path, join(this.#folder, sha256));
      }
      if (files.length > 0) syncPath(this.#folder);
    });
  }

  /** Removes staged files; those already placed stay. */
  discard(files: readonly Pick<StagedFile, 'path'>[]): void {
    this.#asOwner(() => {
      // False in a folder that the owner must not read, where nothing was staged.
      for (const { path } of files) if (existsSync(path)) rmSync(path, { force: true });
    });
  }

  /**
   * Opens a placed file, never through a symbolic link. Throws `ApiError` NOT_FOUND if the file is
   * missing or has another length.
   */
  async open(sha256: string, bytes: number): Promise<FileHandle> {
    const handle = await this.#tryOpen(sha256);
    const stats = await handle?.stat();
    if (handle && stats?.isFile() && stats.size === bytes) return handle;
    await handle?.close();
    throw new ApiError('NOT_FOUND', 'This file is not on this server at present.');
  }

  /** Returns true if a placed file exists with this length. */
  has({ sha256, bytes }: Pick<StagedFile, 'sha256' | 'bytes'>): boolean {
    const path = this.#pathOf(sha256);
    const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true && stats.size === bytes;
  }

  /** Removes unused files, and those left behind by commands that were killed. */
  removeUnused(used: ReadonlySet<string>, nowMs: number): void {
    if (!this.#isOfServer()) return;
    this.#asOwner(() => {
      for (const name of globSync(['*', '.*'], { cwd: this.#folder })) {
        const path = join(this.#folder, name);
        const isUnused = placedPattern.test(name) && !used.has(name);
        const isAbandoned = stagedPattern.test(name) && nowMs - changedAtMs(path, nowMs) > abandonedMs;
        if (isUnused || isAbandoned) rmSync(path, { force: true });
      }
    });
  }

  /** Root has the rights of the data folder's owner, who may have put a link to a folder of root in its place. */
  #asOwner<T>(work: () => T): T {
    return asOwnerOf(dirname(this.#folder), work);
  }

  /** The server's user may have put a link to a folder of root in its place, and root may run the command. */
  #isOfServer(): boolean {
    const ownerOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.uid;
    return process.geteuid?.() !== 0 || ownerOf(this.#folder) === ownerOf(dirname(this.#folder));
  }

  #createFolder(): void {
    if (existsSync(this.#folder)) return;
    createFolder(this.#folder);
    giveToOwnerOf(dirname(this.#folder), this.#folder);
  }

  /** Returns `undefined` unless it is a hash: somebody who can write to the database must not choose a path. */
  #pathOf(sha256: string): string | undefined {
    return placedPattern.test(sha256) ? join(this.#folder, sha256) : undefined;
  }

  async #tryOpen(sha256: string): Promise<FileHandle | undefined> {
    const path = this.#pathOf(sha256);
    if (path === undefined) return undefined;
    try {
      // Windows has no O_NOFOLLOW, but only administrators can create links there.
      return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    } catch {
      return undefined;
    }
  }
}

/** Creates a stream that hashes the data and passes it on unchanged. */
function hashing(hashes: readonly Hash[]): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const hash of hashes) hash.update(chunk);
      done(null, chunk);
    },
  });
}

/** Throws `ApiError` NOT_FOUND unless the source is a readable regular file: a pipe or device might never end. */
async function openSource(source: string): Promise<FileHandle> {
  if (!statSync(source, { throwIfNoEntry: false })?.isFile()) {
    throw new ApiError('NOT_FOUND', `There is no file ${source}.`);
  }
  return open(source).catch((error: NodeJS.ErrnoException) => {
    throw new ApiError('NOT_FOUND', `The file ${source} cannot be read (${error.code}).`);
  });
}

function toApiError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  return new ApiError('SERVICE_UNAVAILABLE', `The files cannot be written to ${folder} (${error.code}).`);
}

function changedAtMs(path: string, nowMs: number): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
}
