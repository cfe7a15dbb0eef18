/** Settings and other small texts that are not secret, in the profile's `settings.json`. */
import { join } from 'node:path';
import ElectronStore from 'electron-store';
import type { PlainStore } from '../licensing/platform.ts';
import { quarantine } from './atomic-write.ts';

const storeName = 'settings';

/** Opens the store in a folder; a file that cannot be parsed is quarantined. */
export async function openPlainStore(folder: string, now: () => number): Promise<PlainStore> {
  const store = await openElectronStore(folder, now);
  return {
    read: async (name) => {
      const value = store.get(name);
      return typeof value === 'string' ? { kind: 'value', value } : { kind: 'absent' };
    },
    write: async (name, value) => store.set(name, value),
  };
}

async function openElectronStore(folder: string, now: () => number): Promise<ElectronStore<Record<string, string>>> {
  const options = { name: storeName, cwd: folder, accessPropertiesByDotNotation: false, configFileMode: 0o600 };
  try {
    return new ElectronStore<Record<string, string>>(options);
  } catch {
    await quarantine(join(folder, `${storeName}.json`), now());
    return new ElectronStore<Record<string, string>>(options);
  }
}
