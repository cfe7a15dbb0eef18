/** Small texts that are no secrets, in one file of electron-store's; a file that it cannot read is kept aside. */
import { join } from 'node:path';
import ElectronStore from 'electron-store';
import type { PlainStore } from '../licensing/platform.ts';
import { keepAside } from './keep-aside.ts';

const storeName = 'settings';

/** Opens the store in a folder. */
export async function openPlainStore(folder: string, now: () => number): Promise<PlainStore> {
  const store = await openStore(folder, now);
  return {
    read: async (name) => {
      const value = store.get(name);
      return typeof value === 'string' ? { kind: 'value', value } : { kind: 'absent' };
    },
    write: async (name, value) => store.set(name, value),
  };
}

async function openStore(folder: string, now: () => number): Promise<ElectronStore<Record<string, string>>> {
  const options = { name: storeName, cwd: folder, accessPropertiesByDotNotation: false, configFileMode: 0o600 };
  try {
    return new ElectronStore<Record<string, string>>(options);
  } catch {
    await keepAside(join(folder, `${storeName}.json`), now());
    return new ElectronStore<Record<string, string>>(options);
  }
}
