/** Settings and other small texts that are not secret, in the profile's `settings.json`. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import ElectronStore from 'electron-store';
import type { PlainStore, StoreRead } from '../licensing/platform.ts';
import { quarantine, unreadableName } from './atomic-write.ts';

const storeName = 'settings';

type TextFile = ElectronStore<Record<string, string>>;

export type FilePlainStoreDeps = { readonly folder: string; readonly now: () => number };

export class FilePlainStore implements PlainStore {
  readonly #file: TextFile;
  readonly #deps: FilePlainStoreDeps;

  private constructor(file: TextFile, deps: FilePlainStoreDeps) {
    this.#file = file;
    this.#deps = deps;
  }

  /** Opens the store in its folder; a file that cannot be parsed is set aside. */
  static async open(deps: FilePlainStoreDeps): Promise<FilePlainStore> {
    return new FilePlainStore(await openFile(deps), deps);
  }

  readonly read = async (name: string): Promise<StoreRead> => {
    const value = this.#file.get(name);
    return typeof value === 'string' ? { kind: 'value', value } : { kind: 'absent' };
  };

  readonly write = async (name: string, value: string): Promise<void> => this.#file.set(name, value);

  /** Uses a single write of the file. */
  readonly setAside = async (name: string): Promise<void> => {
    const { [name]: value, ...others } = this.#file.store;
    if (value !== undefined) this.#file.store = { ...others, [unreadableName(name, this.#deps.now())]: value };
  };

  readonly unreadable = async (): Promise<string[]> => {
    const files = await readdir(this.#deps.folder).catch(() => []);
    return files.filter((file) => file.startsWith(`${storeName}.json.unreadable-`)).sort();
  };
}

async function openFile({ folder, now }: FilePlainStoreDeps): Promise<TextFile> {
  const file = { name: storeName, cwd: folder, configFileMode: 0o600 };
  const options = { ...file, accessPropertiesByDotNotation: false, deserialize: parseObject };
  const path = join(folder, `${storeName}.json`);
  // electron-store would block on a pipe.
  const found = await stat(path).catch(() => null);
  if (found?.isFile() === false) await quarantine(path, now());
  try {
    return new ElectronStore<Record<string, string>>(options);
  } catch {
    await quarantine(path, now());
    return new ElectronStore<Record<string, string>>(options);
  }
}

/** Throws for anything other than an object, which electron-store would treat as an empty file and overwrite. */
function parseObject(text: string): Record<string, string> {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new SyntaxError('no object');
  return parsed as Record<string, string>;
}
