/** The keyring in each version of Electron, with or without asynchronous functions. */
import { describe, expect, it } from 'vitest';
import { withAsync } from '../../../electron/package/older-safe-storage.ts';

const getSelectedStorageBackend = () => 'kwallet' as const;
const encrypt = (text: string) => Buffer.from(`sealed ${text}`);
const decrypt = (bytes: Buffer) => bytes.toString().replace('sealed ', '');

const older = {
  getSelectedStorageBackend,
  isEncryptionAvailable: () => true,
  encryptString: encrypt,
  decryptString: decrypt,
} as unknown as Electron.SafeStorage;

const newer = {
  getSelectedStorageBackend,
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: async (text: string) => encrypt(text),
  decryptStringAsync: async (bytes: Buffer) => ({ result: decrypt(bytes), shouldReEncrypt: false }),
} as unknown as Electron.SafeStorage;

describe.each([
  ['before 42', older],
  ['from 46 on', newer],
])('Electron %s', (_versions, electron) => {
  it('encrypts and decrypts', async () => {
    const storage = withAsync(electron);
    expect(storage.getSelectedStorageBackend()).toBe('kwallet');
    expect(await storage.isAsyncEncryptionAvailable()).toBe(true);
    const encrypted = await storage.encryptStringAsync('a text');
    expect(encrypted.toString()).toBe('sealed a text');
    expect((await storage.decryptStringAsync(encrypted)).result).toBe('a text');
  });
});
