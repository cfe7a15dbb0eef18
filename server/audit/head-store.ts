/**
 * Remembers the newest seal of the audit log outside of the database: in this process, and in a file beside the
 * secrets. Somebody who can write only to the database cannot restore an earlier state of the log unnoticed.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { giveToOwnerOf, stampOf } from '../atomic-write.ts';
import { describeDatabase } from '../database/open-database.ts';
import type { Config } from '../settings/config.ts';
import { type Head, isLater, sealedHead } from './audit-chain.rules.ts';

/** The newest seal of each database, keyed by its address, since several databases may have the same secrets. */
const headFile = z.object({ version: z.literal(1), heads: z.record(z.string(), sealedHead) });
type Heads = z.infer<typeof headFile>['heads'];

const fileName = 'audit-head.json';

type HeadStoreConfig = Pick<Config, 'secretsFile' | 'dataFolder' | 'databaseUrl' | 'databaseFile'>;

/** The file is next to the secrets or, if they are mounted read-only, in the data folder. */
export class HeadStore {
  readonly #config: HeadStoreConfig;
  readonly #files: readonly HeadFile[];
  #database: Promise<string> | undefined;
  #known: Head | undefined;

  constructor(config: HeadStoreConfig) {
    this.#config = config;
    const folders = new Set([dirname(config.secretsFile), config.dataFolder]);
    this.#files = [...folders].map((folder) => new HeadFile(join(folder, fileName)));
  }

  /** Returns the latest seal known to this process or the file. A missing or damaged file knows none. */
  async read(): Promise<Head | undefined> {
    const database = await this.#findDatabase();
    for (const file of this.#files) this.#updateKnown(file.read()[database]);
    return this.#known;
  }

  /** Remembers the seal unless a later one is known. Resolves to whether a file has it. */
  async remember(head: Head): Promise<boolean> {
    this.#updateKnown(head);
    const known = await this.read();
    const database = await this.#findDatabase();
    if (!known || this.#files.some((file) => isSame(file.read()[database], known))) return true;
    for (const file of this.#files) if (await file.write(database, known)) return true;
    return false;
  }

  /** Replaces what was known about the database, because it is now a different one. */
  async replace(head: Head | undefined): Promise<void> {
    const database = await this.#findDatabase();
    this.#known = head;
    for (const file of this.#files) {
      if (file.read()[database] !== undefined || head) await file.write(database, head);
    }
  }

  #updateKnown(head: Head | undefined): void {
    if (head && (!this.#known || isLater(head, this.#known))) this.#known = head;
  }

  #findDatabase(): Promise<string> {
    this.#database ??= nameDatabase(this.#config);
    return this.#database;
  }
}

/**
 * Returns the name under which the file lists the database: the same for every path that leads to it. The address of a
 * PostgreSQL database is not a path.
 */
async function nameDatabase(config: HeadStoreConfig): Promise<string> {
  const database = await describeDatabase(config);
  return existsSync(database) ? realpathSync(database) : database;
}

function isSame(one: Head | undefined, other: Head): boolean {
  return one?.seal_id === other.seal_id && one.hash === other.hash && one.epoch === other.epoch;
}

class HeadFile {
  readonly #path: string;
  #stamp = '';
  #heads: Heads = {};

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the file again only if it was replaced. */
  read(): Heads {
    const stamp = stampOf(this.#path);
    if (stamp !== this.#stamp) this.#heads = readHeads(this.#path);
    this.#stamp = stamp;
    return this.#heads;
  }

  /**
   * Replaces the whole file, so that a power failure leaves either the old or the new one. Two processes may do so at
   * the same time; what gets lost that way is written again by the next `remember`. Resolves to false if the file
   * cannot be written.
   */
  async write(database: string, head: Head | undefined): Promise<boolean> {
    const heads = { ...this.read(), [database]: head && sealedHead.parse(head) };
    const temporaryPath = `${this.#path}.${randomUUID()}.new`;
    try {
      const content = `${JSON.stringify({ version: 1, heads }, null, 2)}\n`;
      await writeFile(temporaryPath, content, { mode: 0o600, flag: 'wx', flush: true });
      giveToOwnerOf(dirname(this.#path), temporaryPath);
      await rename(temporaryPath, this.#path);
      return true;
    } catch {
      await rm(temporaryPath, { force: true }).catch(() => undefined);
      return false;
    }
  }
}

function readHeads(path: string): Heads {
  try {
    return headFile.parse(JSON.parse(readFileSync(path, 'utf8'))).heads;
  } catch {
    return {};
  }
}
