/** Whether a Linux desktop shows tray icons, asked on a real session bus: the window is not hidden without a tray. */
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { showsTrayIcons } from '../../../electron/platform/status-notifier.ts';

const hasBus = spawnSync('dbus-run-session', ['--', 'true']).status === 0;
const moduleUrl = new URL('../../../electron/platform/status-notifier.ts', import.meta.url).href;

/** Checks the name on its own session bus, or without any bus. */
function isOwned(name: string, withBus: boolean): boolean {
  const script = `import { isNameOwned } from ${JSON.stringify(moduleUrl)};
    console.log(await isNameOwned(${JSON.stringify(name)}));`;
  const node = [process.execPath, '--input-type=module', '-e', script];
  const { DBUS_SESSION_BUS_ADDRESS: _bus, DISPLAY: _display, ...env } = process.env;
  const [program = '', ...words] = withBus ? ['dbus-run-session', '--', ...node] : node;
  return execFileSync(program, words, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() === 'true';
}

describe.skipIf(!hasBus)('a name on the session bus', () => {
  it('is found if somebody owns it', () => {
    expect(isOwned('org.freedesktop.DBus', true)).toBe(true);
    expect(isOwned('org.kde.StatusNotifierWatcher', true)).toBe(false);
  });
});

it('no name is owned without a session bus', () => {
  expect(isOwned('org.freedesktop.DBus', false)).toBe(false);
});

describe('tray icons', () => {
  /** Asks with a watcher that appears at the attempt `ownedAt`. */
  async function ask(input: {
    readonly ownedAt: number;
    readonly isStartedAtLogin: boolean;
    platform?: NodeJS.Platform;
  }) {
    let tries = 0;
    let waits = 0;
    const shows = await showsTrayIcons({
      platform: 'linux',
      ...input,
      isOwned: async (name) => {
        expect(name).toBe('org.kde.StatusNotifierWatcher');
        return ++tries >= input.ownedAt;
      },
      wait: async () => ++waits,
    });
    return { shows, tries, waits };
  }

  it('are used if something shows them, and otherwise the window is not hidden', async () => {
    expect(await ask({ ownedAt: 1, isStartedAtLogin: false })).toEqual({ shows: true, tries: 1, waits: 0 });
    expect(await ask({ ownedAt: 2, isStartedAtLogin: false })).toEqual({ shows: false, tries: 1, waits: 0 });
  });

  it('are waited for at login, for some seconds', async () => {
    expect(await ask({ ownedAt: 4, isStartedAtLogin: true })).toEqual({ shows: true, tries: 4, waits: 3 });
    expect(await ask({ ownedAt: 99, isStartedAtLogin: true })).toEqual({ shows: false, tries: 10, waits: 9 });
  });

  it.each(['win32', 'darwin'] as const)('are always visible on %s', async (platform) => {
    expect(await ask({ ownedAt: 99, isStartedAtLogin: true, platform })).toEqual({ shows: true, tries: 0, waits: 0 });
  });
});
