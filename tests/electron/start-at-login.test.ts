/** The entry that starts Latchkey with the session on Linux. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

vi.mock('electron', () => ({ app: {} }));
const { writeAutostart } = await import('../../electron/start-at-login.ts');

afterEach(() => vi.unstubAllEnvs());

describe('start at login', () => {
  it('names the AppImage, hidden, and goes away again', async () => {
    const path = join(temporaryFolder(), 'autostart', 'latchkey.desktop');
    vi.stubEnv('APPIMAGE', '/home/ada/My $100% apps/Latchkey.AppImage');
    await writeAutostart(path, true);
    expect(readFileSync(path, 'utf8')).toContain('Exec="/home/ada/My \\$100%% apps/Latchkey.AppImage" --hidden\n');
    await writeAutostart(path, false);
    expect(existsSync(path)).toBe(false);
  });

  it('has nothing to take away where nothing is', async () => {
    await expect(writeAutostart(join(temporaryFolder(), 'none', 'x.desktop'), false)).resolves.toBeUndefined();
  });
});
