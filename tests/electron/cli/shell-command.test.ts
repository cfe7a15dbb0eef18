/** The window shows the command line as it is called for this installation. */
import { expect, it } from 'vitest';
import { findShellCommand, type InstallationPlace } from '../../../electron/cli/shell-command.ts';

const debian: InstallationPlace = {
  system: 'linux',
  isPackaged: true,
  appImage: undefined,
  execPath: '/opt/Latchkey/latchkey-desktop',
  resourcesPath: '/opt/Latchkey/resources',
  namedProfile: undefined,
  exists: () => true,
};
const windows = { ...debian, system: 'win32' } as const;

it.each<[string, InstallationPlace, string]>([
  ['the repository', { ...debian, isPackaged: false }, 'npm run --silent latchkey --'],
  ['the Debian package', debian, 'latchkey'],
  [
    'a profile that a variable of the window names',
    { ...debian, isPackaged: false, namedProfile: '/home/ada/latchkey/data/demo/desktop' },
    'npm run --silent latchkey -- --profile /home/ada/latchkey/data/demo/desktop',
  ],
  ['such a profile with a space', { ...debian, namedProfile: '/srv/my app' }, "latchkey --profile '/srv/my app'"],
  ['a folder', { ...debian, exists: () => false }, '/opt/Latchkey/latchkey-desktop --cli'],
  [
    'an AppImage',
    { ...debian, appImage: '/home/ada/My apps/Ada’s.AppImage' },
    "'/home/ada/My apps/Ada’s.AppImage' --cli",
  ],
  ['an AppImage in a folder with a quote', { ...debian, appImage: "/a'b/L.AppImage" }, "'/a'\\''b/L.AppImage' --cli"],
  [
    'macOS',
    { ...debian, system: 'darwin', resourcesPath: '/Applications/Latchkey.app/Contents/Resources' },
    '/Applications/Latchkey.app/Contents/Resources/bin/latchkey',
  ],
  ['Windows', { ...windows, execPath: 'C:\\Apps\\Latchkey\\Latchkey.exe' }, 'C:\\Apps\\Latchkey\\latchkey.cmd'],
  ['Windows, with a space', { ...windows, execPath: 'C:\\My apps\\Latchkey.exe' }, "& 'C:\\My apps\\latchkey.cmd'"],
  [
    'Windows, with such a profile',
    { ...windows, execPath: 'C:\\A\\L.exe', namedProfile: 'D:\\My app' },
    "C:\\A\\latchkey.cmd --profile 'D:\\My app'",
  ],
  [
    'Windows, in a folder whose name is a command',
    { ...windows, execPath: "C:\\$(calc)`a’b'c\\Latchkey.exe" },
    "& 'C:\\$(calc)`a’’b''c\\latchkey.cmd'",
  ],
])('%s', (_installation, place, command) => {
  expect(findShellCommand(place)).toBe(command);
});
