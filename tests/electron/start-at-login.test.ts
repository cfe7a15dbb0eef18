/** The entry that starts Latchkey with the session on Linux. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const loginItem = vi.hoisted(() => ({ wasOpenedAtLogin: false }));
vi.mock('electron', () => ({ app: { getLoginItemSettings: () => loginItem } }));
const { isStartedAtLogin, writeAutostart } = await import('../../electron/start-at-login.ts');

afterEach(() => vi.unstubAllEnvs());

describe('start at login', () => {
  it('names the AppImage, hidden, and can be removed again', async () => {
    const path = join(temporaryFolder(), 'autostart', 'latchkey.desktop');
    vi.stubEnv('APPIMAGE', '/home/ada/My $100% apps/Latchkey.AppImage');
    await writeAutostart(path, true);
    expect(readFileSync(path, 'utf8')).toContain('Exec="/home/ada/My \\\\$100%% apps/Latchkey.AppImage" --hidden\n');
    await writeAutostart(path, false);
    expect(existsSync(path)).toBe(false);
  });

  it.each(['/a "b"/$HOME/`id`/100%f/x', '/a\\b', '/a\nExec=evil\rX=1'])(
    'starts exactly the program at %j',
    async (program) => {
      const path = join(temporaryFolder(), 'latchkey.desktop');
      vi.stubEnv('APPIMAGE', program);
      await writeAutostart(path, true);
      expect(programOf(readFileSync(path, 'utf8'))).toBe(program);
    },
  );

  it('is detected from the system on macOS, which passes no arguments, and from the argument elsewhere', () => {
    const platform = vi.spyOn(process, 'platform', 'get');
    platform.mockReturnValue('darwin');
    expect(isStartedAtLogin()).toBe(false);
    loginItem.wasOpenedAtLogin = true;
    expect(isStartedAtLogin()).toBe(true);
    platform.mockReturnValue('win32');
    expect(isStartedAtLogin()).toBe(false);
    process.argv.push('--hidden');
    expect(isStartedAtLogin()).toBe(true);
    process.argv.pop();
    platform.mockRestore();
  });

  it('can be turned off without an entry', async () => {
    await expect(writeAutostart(join(temporaryFolder(), 'none', 'x.desktop'), false)).resolves.toBeUndefined();
  });
});

/** Reads the entry as the Desktop Entry Specification says: first the escapes of a text, then those inside quotes. */
function programOf(entry: string): string {
  const exec = entry.split(/[\r\n]+/).flatMap((line) => (line.startsWith('Exec=') ? [line.slice('Exec='.length)] : []));
  expect(exec).toHaveLength(1);
  const escapes: Readonly<Record<string, string>> = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' };
  const text = exec.join('').replace(/\\(.?)/gs, (_, escaped: string) => {
    const meant = escapes[escaped];
    if (meant === undefined) throw new SyntaxError('The specification has no other escape.');
    return meant;
  });
  const [, quoted = ''] = /^"((?:[^"`$\\]|\\["`$\\])*)" --hidden$/.exec(text) ?? [];
  return quoted.replace(/\\(.)/g, '$1').replaceAll('%%', '%');
}
