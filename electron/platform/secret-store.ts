/** Stores secrets encrypted, one file each, or only in memory if the user chose that. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { PlainStore, SecretStore, StoreRead } from '../licensing/platform.ts';
import { SerialQueue } from '../licensing/serial-queue.ts';
import { isNotFound, quarantine, removeFile, removeInterruptedWrites, writeAtomically } from './atomic-write.ts';
import { createFolder } from './create-folder.ts';
import type { Encryption } from './encryption.ts';
import { readRegularFile } from './read-regular-file.ts';

type Storage = ReturnType<SecretStore['storage']>;

export type FileSecretStoreDeps = {
  readonly folder: string;
  /** Stores the user's choice. */
  readonly plain: PlainStore;
  readonly keyring: Encryption | null;
  readonly keyFile: Encryption;
  /** Without a keyring: ask the user, or use the key file right away. */
  readonly withoutKeyring: 'ask' | 'file';
  readonly now: () => number;
};

const choiceName = 'secret-storage';
const extension = '.json';
/** Far more than any secret needs. */
const maxFileBytes = 64 * 1024 * 1024;

/** `seal` is the kind of encryption. The name is part of the stored format. */
const secretFile = z.object({ version: z.literal(1), seal: z.enum(['keyring', 'file']), data: z.base64() });

/** Operations run one after another, in the order of the calls. */
export class FileSecretStore implements SecretStore {
  readonly #deps: FileSecretStoreDeps;
  readonly #encryptions: readonly Encryption[];
  readonly #inMemory = new Map<string, string>();
  readonly #operations = new SerialQueue();
  /** Names of files that could not be read and still exist. */
  readonly #unreadable = new Set<string>();
  #storage: Storage;

  private constructor(deps: FileSecretStoreDeps, storage: Storage) {
    this.#deps = deps;
    this.#encryptions = deps.keyring === null ? [deps.keyFile] : [deps.keyring, deps.keyFile];
    this.#storage = storage;
  }

  /** Opens the store in its folder, which is created if needed. */
  static async open(deps: FileSecretStoreDeps): Promise<FileSecretStore> {
    createFolder(deps.folder);
    await removeInterruptedWrites(deps.folder);
    return new FileSecretStore(deps, await storageAtStart(deps));
  }

  readonly storage = (): Storage => this.#storage;

  readonly read = (name: string): Promise<StoreRead> =>
    this.#operations.run(async () => {
      const value = this.#inMemory.get(name);
      if (value !== undefined) return { kind: 'value', value };
      return this.#storage === 'memory' ? { kind: 'absent' } : this.#readAndRecord(this.#pathOf(name));
    });

  readonly write = (name: string, value: string): Promise<void> => this.#operations.run(() => this.#write(name, value));

  readonly remove = (name: string): Promise<void> =>
    this.#operations.run(async () => {
      this.#inMemory.delete(name);
      await removeFile(this.#pathOf(name));
      this.#unreadable.delete(basename(this.#pathOf(name)));
    });

  readonly setAside = (name: string): Promise<void> =>
    this.#operations.run(async () => {
      this.#inMemory.delete(name);
      await this.#quarantine(this.#pathOf(name));
    });

  readonly unreadable = async (): Promise<string[]> => {
    const names = await readdir(this.#deps.folder).catch(() => []);
    return [...names.filter((name) => name.includes('.unreadable-')), ...this.#unreadable].sort();
  };

  readonly choose = (keep: boolean): Promise<void> =>
    this.#operations.run(async () => {
      if (this.#storage === 'keyring') return;
      this.#storage = keep ? 'file' : 'memory';
      await this.#deps.plain.write(choiceName, this.#storage);
      if (keep) await this.#moveToDisk();
      else await this.#moveToMemory();
    });

  #pathOf(name: string): string {
    return join(this.#deps.folder, encodeURIComponent(name) + extension);
  }

  /** Returns the encryption for new secrets, or `null` if they stay in memory. */
  #encryption(): Encryption | null {
    if (this.#storage === 'keyring') return this.#deps.keyring;
    return this.#storage === 'file' ? this.#deps.keyFile : null;
  }

  async #write(name: string, value: string): Promise<void> {
    const encryption = this.#encryption();
    if (encryption === null) {
      this.#inMemory.set(name, value);
      return;
    }
    await this.#writeFile(this.#pathOf(name), value, encryption);
    // A value that could not be moved to disk is older.
    this.#inMemory.delete(name);
  }

  async #writeFile(path: string, value: string, encryption: Encryption): Promise<void> {
    const before = await this.#readFile(path);
    if (before.kind === 'unreadable') await this.#quarantine(path);
    const data = Buffer.from(await encryption.encrypt(value)).toString('base64');
    await writeAtomically(path, JSON.stringify({ version: 1, seal: encryption.kind, data }));
  }

  async #quarantine(path: string): Promise<void> {
    await quarantine(path, this.#deps.now());
    this.#unreadable.delete(basename(path));
  }

  async #readAndRecord(path: string): Promise<StoreRead> {
    const read = await this.#readFile(path);
    if (read.kind === 'unreadable') this.#unreadable.add(basename(path));
    else this.#unreadable.delete(basename(path));
    return read;
  }

  async #readFile(path: string): Promise<StoreRead> {
    try {
      const text = (await readRegularFile(path, maxFileBytes)).toString();
      const { seal: kind, data } = secretFile.parse(JSON.parse(text));
      const encryption = this.#encryptions.find((each) => each.kind === kind);
      if (encryption === undefined) {
        return { kind: 'unreadable', message: `It was encrypted by the ${kind}, which is not available now.` };
      }
      return { kind: 'value', value: await encryption.decrypt(Buffer.from(data, 'base64')) };
    } catch (error) {
      if (isNotFound(error)) return { kind: 'absent' };
      return { kind: 'unreadable', message: 'The file is damaged or was encrypted under another key.' };
    }
  }

  async #moveToDisk(): Promise<void> {
    for (const [name, value] of this.#inMemory) await this.#write(name, value);
  }

  async #moveToMemory(): Promise<void> {
    for (const fileName of await readdir(this.#deps.folder)) {
      if (!fileName.endsWith(extension)) continue;
      const path = join(this.#deps.folder, fileName);
      const read = await this.#readFile(path);
      if (read.kind !== 'value') continue;
      this.#inMemory.set(decodeURIComponent(basename(fileName, extension)), read.value);
      await removeFile(path);
    }
  }
}

async function storageAtStart({ keyring, plain, withoutKeyring }: FileSecretStoreDeps): Promise<Storage> {
  if (keyring !== null) return 'keyring';
  const choice = await plain.read(choiceName);
  if (choice.kind === 'value' && (choice.value === 'file' || choice.value === 'memory')) return choice.value;
  return withoutKeyring;
}
