/** Electron's safeStorage for every version: before 42 it has no asynchronous functions, from 46 on no others. */

type AsyncSafeStorage = Pick<
  Electron.SafeStorage,
  'getSelectedStorageBackend' | 'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync'
>;

/** What one set of functions encrypts, the other decrypts. Accesses nothing of `storage` before a call. */
export function withAsync(storage: Electron.SafeStorage): AsyncSafeStorage {
  return {
    getSelectedStorageBackend: () => storage.getSelectedStorageBackend(),
    isAsyncEncryptionAvailable: async () =>
      storage.isAsyncEncryptionAvailable ? storage.isAsyncEncryptionAvailable() : storage.isEncryptionAvailable(),
    encryptStringAsync: async (text) =>
      storage.encryptStringAsync ? storage.encryptStringAsync(text) : storage.encryptString(text),
    decryptStringAsync: async (encrypted) =>
      storage.decryptStringAsync
        ? storage.decryptStringAsync(encrypted)
        : { result: storage.decryptString(encrypted), shouldReEncrypt: false },
  };
}
