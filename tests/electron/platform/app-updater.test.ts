/** How an installation is updated on each system, and which files electron-updater may install. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../harness/test-admin.ts';

vi.mock('electron', () => ({ app: { isPackaged: true }, powerMonitor: {} }));
const { filesOfKind, findInstallation, requireSignedBytes, updateChannel, updatePlatform } = await import(
  '../../../electron/platform/app-updater.ts'
);
const { readLinuxBattery } = await import('../../../electron/platform/battery.ts');

const sha512 = (text: string) => createHash('sha512').update(text).digest('base64');
const signed = (text: string) => ({
  name: 'App.AppImage',
  platform: 'linux_amd64',
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
  sha512: sha512(text),
});

describe('an installation', () => {
  it.each([
    ['linux', { APPIMAGE: '/opt/Latchkey.AppImage' }, 'self'],
    ['linux', {}, 'system-package'],
    ['linux', { SNAP: '/snap/latchkey/7', APPIMAGE: '/x' }, 'snap'],
    ['linux', { FLATPAK_ID: 'app.latchkey' }, 'flatpak'],
    ['win32', {}, 'self'],
    ['win32', { PORTABLE_EXECUTABLE_FILE: 'D:\\Latchkey.exe' }, 'portable'],
    ['darwin', {}, 'self'],
  ] as const)('on %s with %o is of the kind %s', (system, environment, kind) => {
    expect(findInstallation({ system, environment, isPackaged: true })).toBe(kind);
    expect(findInstallation({ system, environment, isPackaged: false })).toBe('not-packaged');
  });

  it.each([
    ['linux', 'x64', 'linux_amd64', 'latest-linux.yml'],
    ['linux', 'arm64', 'linux_arm64', 'latest-linux-arm64.yml'],
    ['win32', 'x64', 'windows_x64', 'latest.yml'],
    ['darwin', 'arm64', 'macos_arm64', 'latest-mac.yml'],
  ] as const)('on %s %s is %s and reads %s', (system, architecture, platform, channel) => {
    expect(updatePlatform(system, architecture)).toBe(platform);
    expect(updateChannel(system, architecture)).toBe(channel);
  });
});

describe('a file to install', () => {
  it.each([
    ['linux', ['App.AppImage', 'App-arm64.appimage']],
    ['win32', ['App.exe']],
    ['darwin', ['App.zip']],
  ] as const)('on %s is of the same kind as the installation', (system, names) => {
    const all = [
      'App.AppImage',
      'app.deb',
      'App-arm64.appimage',
      'App.exe',
      'App.zip',
      'App.dmg',
      'AppImage',
      '.exe.rpm',
    ];
    const files = all.map((name) => ({ ...signed('new'), name }));
    expect(filesOfKind(files, system).map(({ name }) => name)).toEqual(names);
  });

  it('must have the signed bytes on disk', async () => {
    const path = join(temporaryFolder(), 'App.AppImage');
    writeFileSync(path, 'new');
    await expect(requireSignedBytes(path, [signed('new')])).resolves.toBeUndefined();
    writeFileSync(path, 'net');
    await expect(requireSignedBytes(path, [signed('new')])).rejects.toThrow('not the signed one');
  });
});

describe('the battery on Linux', () => {
  it('has the level of the fullest one that the kernel lists', async () => {
    const folder = temporaryFolder();
    const add = (name: string, capacity: string) => {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'capacity'), capacity);
    };
    mkdirSync(join(folder, 'AC'));
    expect(await readLinuxBattery(folder)).toBeNull();
    add('BAT0', '7\n');
    add('BAT1', 'unknown\n');
    expect(await readLinuxBattery(folder)).toEqual({ level: 0.07 });
    add('BAT2', '19\n');
    expect(await readLinuxBattery(folder)).toEqual({ level: 0.19 });
  });
});
