/** What an app maker may do wrong with the functions for Electron's main process is an error, not a weaker app. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

const app = { isReady: () => false, isPackaged: true, on: vi.fn() };
vi.mock('electron', () => ({ app, net: {}, powerMonitor: {}, safeStorage: {}, session: {}, ipcMain: {} }));
const { createElectronPlatform, deepLinks } = await import('../../../electron/package/electron.ts');

it('the platform is refused before Electron is ready, when it would find no keyring and store secrets without one', async () => {
  const folder = join(temporaryFolder(), 'profile');
  await expect(createElectronPlatform({ folder, withoutKeyring: 'file' })).rejects.toThrow('app.whenReady()');
  expect(existsSync(folder)).toBe(false);
});

it.each(['Sketcher', 'sketcher://', 'my sketcher', ''])('no link could be opened with the scheme “%s”', (scheme) => {
  expect(() => deepLinks({ scheme, reveal: () => {} })).toThrow(TypeError);
});

it('a scheme is a name in lower case', () => {
  expect(() => deepLinks({ scheme: 'org.example.sketcher+2', reveal: () => {} })).not.toThrow();
});
