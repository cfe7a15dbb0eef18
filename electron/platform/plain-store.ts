/** Settings and other small texts that are not secret, in the profile's `settings.json`. */
import { join } from 'node:path';
import ElectronStore from 'electron-store';
import type { PlainStore, StoreRead } from '../licensing/platform.ts';
import { quarantine, unreadableName } from './atomic-write.ts';

const storeName = 'settings';

type TextFile = ElectronStore<Record<string, string>>;

export type FilePlainStoreDeps = { readonly folder: string; readonly now: () => number };

export class FilePlainStore implements PlainStore {
  readonly #file: TextFile;
  readonly #now: () => number;

  private constructor(file: TextFile, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  /** Opens the store in its folder; a file that cannot be parsed is quarantined. */
  static async open(deps: FilePlainStoreDeps): Promise<FilePlainStore> {
    return new FilePlainStore(await openFile(deps), deps.now);
  }

  readonly read = async (name: string): Promise<StoreRead> => {
    const value = this.#file.get(name);
    return typeof value === 'string' ? { kind: 'value', value } : { kind: 'absent' };
  };

  readonly write = async (name: string, value: string): Promise<void> => this.#file.set(name, value);

  /** In one write of the file. */
  readonly setAside = async (name: string): Promise<void> => {
    const { [name]: value, ...others } = this.#file.store;
    if (value !== undefined) this.#file.store = { ...others, [unreadableName(name, this.#now())]: value };
  };
}

async function openFile({ folder, now }: FilePlainStoreDeps): Promise<TextFile> {
  const options = { name: storeName, cwd: folder, accessPropertiesByDotNotation: false, configFileMode: 0o600 };
  try {
    return new ElectronStore<Record<string, string>>(options);
  } catch {
    await quarantine(join(folder, `${storeName}.json`), now());
    return new ElectronStore<Record<string, string>>(options);
  }
}
