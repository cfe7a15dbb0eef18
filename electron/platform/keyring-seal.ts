/** Seals under the system's keyring, by Electron's safeStorage. */
import { safeStorage } from 'electron';
import type { Seal } from './seal.ts';

/** The seal, or `null` where the system keeps no key of its own. */
export async function openKeyringSeal(): Promise<Seal | null> {
  if (!(await hasKeyring())) return null;
  return {
    kind: 'keyring',
    close: (text) => safeStorage.encryptStringAsync(text),
    open: async (sealed) => (await safeStorage.decryptStringAsync(Buffer.from(sealed))).result,
  };
}

/** On Linux `basic_text` is a fixed password that everybody knows: no keyring. */
async function hasKeyring(): Promise<boolean> {
  try {
    if (process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text') return false;
    return await safeStorage.isAsyncEncryptionAvailable();
  } catch {
    return false;
  }
}
