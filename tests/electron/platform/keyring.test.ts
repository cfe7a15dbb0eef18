/** Which keyrings count: none that only seems to protect the secrets. */
import { expect, it, vi } from 'vitest';

const safeStorage = { getSelectedStorageBackend: vi.fn(), isAsyncEncryptionAvailable: vi.fn() };
vi.mock('electron', () => ({ safeStorage }));
const { KeyringEncryption } = await import('../../../electron/platform/encryption.ts');

it.each([
  ['one that encrypts counts', 'gnome_libsecret', async () => true, true],
  ['one that cannot encrypt does not count', 'gnome_libsecret', async () => false, false],
  ['one that fails does not count', 'gnome_libsecret', () => Promise.reject(new Error('No D-Bus.')), false],
  ['on Linux, one with a known password does not count', 'basic_text', async () => true, process.platform !== 'linux'],
])('%s', async (_, backend, isAvailable, counts) => {
  safeStorage.getSelectedStorageBackend.mockReturnValue(backend);
  safeStorage.isAsyncEncryptionAvailable.mockImplementation(isAvailable);
  expect((await KeyringEncryption.open()) !== null).toBe(counts);
});
