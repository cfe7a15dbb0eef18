/** Settings and other small texts that are not secret, in the profile's `settings.json`. */
import { join } from 'node:path';
import ElectronStore from 'electron-store';
import type { PlainStore, StoreRead } from '../licensing/platform.ts';
import { quarantine } from './atomic-write.ts';

const storeName = 'settings';

type TextFile = ElectronStore<Record<string, string>>;

export type FilePlainStoreDeps = { readonly folder: string; readonly now: () => number };

export class FilePlainStore implements PlainStore {
  readonly #file: TextFile;

  private constructor(file: TextFile) {
    this.#file = file;
  }

  /** Opens the store in its folder; a file that cannot be parsed is quarantined. */
  static async open(deps: FilePlainStoreDeps): Promise<FilePlainStore> {
    return new FilePlainStore(await openFile(deps));
  }

  readonly read = async (name: string): Promise<StoreRead> => {
    const value = this.#file.get(name);
    return typeof value === 'string' ? { kind: 'value', value } : { kind: 'absent' };
  };

  readonly write = async (name: string, value: string): Promise<void> => this.#file.set(name, value);
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
