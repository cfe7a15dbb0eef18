/** Where secrets are kept: under the system's keyring, else as the person chose: in a sealed file, or not at all. */
import { mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { PlainStore, SecretStore, StoreRead } from '../licensing/platform.ts';
import type { Seal } from './seal.ts';
import { readSecretFile, removeSecretFile, writeSecretFile } from './secret-file.ts';

export type SecretStoreOptions = {
  readonly folder: string;
  /** Remembers the person's choice. */
  readonly plain: PlainStore;
  readonly keyring: Seal | null;
  readonly keyFile: Seal;
  /** Without a keyring: whether the person is asked, or the sealed file is used at once. */
  readonly withoutKeyring: 'ask' | 'file';
  readonly now: () => number;
};

const choiceName = 'secret-storage';
const ending = '.json';

/** Opens the store; one act at a time, in the order in which they were asked for. */
export async function openSecretStore(options: SecretStoreOptions): Promise<SecretStore> {
  const { folder, plain, keyring, keyFile, now } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const seals = keyring === null ? [keyFile] : [keyring, keyFile];
  const inMemory = new Map<string, string>();
  const pathOf = (name: string) => join(folder, encodeURIComponent(name) + ending);
  const nameOf = (path: string) => decodeURIComponent(basename(path, ending));
  let storage = await storageAtStart(options);
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = last.then(act, act);
    last = turn.catch(() => {});
    return turn;
  }

  const sealNow = () => (storage === 'keyring' ? keyring : storage === 'file' ? keyFile : null);

  async function read(name: string): Promise<StoreRead> {
    const value = inMemory.get(name);
    if (value !== undefined) return { kind: 'value', value };
    return storage === 'memory' ? { kind: 'absent' } : readSecretFile(pathOf(name), seals);
  }

  async function write(name: string, value: string): Promise<void> {
    const seal = sealNow();
    if (seal === null) inMemory.set(name, value);
    else await writeSecretFile(pathOf(name), value, { seal, seals, now });
  }

  async function remove(name: string): Promise<void> {
    inMemory.delete(name);
    await removeSecretFile(pathOf(name));
  }

  async function choose(keep: boolean): Promise<void> {
    if (storage === 'keyring') return;
    storage = keep ? 'file' : 'memory';
    await plain.write(choiceName, storage);
    if (keep) await moveToDisk();
    else await moveToMemory();
  }

  async function moveToDisk(): Promise<void> {
    for (const [name, value] of inMemory) {
      await write(name, value);
      inMemory.delete(name);
    }
  }

  async function moveToMemory(): Promise<void> {
    for (const path of await secretFilesIn(folder)) {
      const kept = await readSecretFile(path, seals);
      if (kept.kind !== 'value') continue;
      inMemory.set(nameOf(path), kept.value);
      await removeSecretFile(path);
    }
  }

  return {
    read: (name) => inTurn(() => read(name)),
    write: (name, value) => inTurn(() => write(name, value)),
    remove: (name) => inTurn(() => remove(name)),
    choose: (keep) => inTurn(() => choose(keep)),
    storage: () => storage,
  };
}

async function storageAtStart(options: SecretStoreOptions): Promise<ReturnType<SecretStore['storage']>> {
  if (options.keyring !== null) return 'keyring';
  const choice = await options.plain.read(choiceName);
  if (choice.kind === 'value' && (choice.value === 'file' || choice.value === 'memory')) return choice.value;
  return options.withoutKeyring;
}

async function secretFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
}
