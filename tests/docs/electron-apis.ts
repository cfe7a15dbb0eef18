/**
 * The parts of Electron that the app uses, found in its sources, and how each was checked: a table of
 * `electron/README.md`.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from './generated-sections.ts';

const root = join(import.meta.dirname, '../..');

export const electronSections = { 'electron apis': electronApiTable } as const;

/** Calls that the browser host implements, in whose window the end-to-end specs then run. */
const inHost = [
  'app.exit',
  'app.getAppPath',
  'app.getLocale',
  'app.getPath',
  'app.getVersion',
  'app.isPackaged',
  "app.on('before-quit')",
  'app.quit',
  'app.requestSingleInstanceLock',
  'app.setName',
  'app.setPath',
  'app.whenReady',
  'clipboard.readText',
  'clipboard.writeText',
  'contextBridge.exposeInMainWorld',
  'dialog.showOpenDialog',
  'dialog.showSaveDialog',
  'ipcMain.handle',
  'ipcRenderer.invoke',
  'ipcRenderer.off',
  'ipcRenderer.on',
  'new BrowserWindow',
  'new Notification',
  'protocol.handle',
  'shell.openExternal',
  'webUtils.getPathForFile',
];

/** Calls that a unit test, the named file, receives in place of Electron. */
export const inUnitTest: Readonly<Record<string, string>> = {
  'Menu.buildFromTemplate': 'menu',
  'Menu.setApplicationMenu': 'menu',
  'Notification.isSupported': 'state-presenter',
  "app.on('child-process-gone')": 'windows/page-recovery',
  "app.on('open-file')": 'opening/follow-openings',
  "app.on('open-url')": 'opening/follow-openings',
  "app.on('second-instance')": 'opening/follow-openings',
  "autoUpdater.on('before-quit-for-update')": 'is-quitting',
  'app.isReady': 'package/electron-entry',
  'app.setAsDefaultProtocolClient': 'opening/register-scheme',
  'app.setBadgeCount': 'state-presenter',
  'ipcMain.removeHandler': 'package/register-commands',
  'dialog.showMessageBox': 'windows/page-recovery',
  'shell.openPath': 'desktop-commands',
  'nativeImage.createFromBuffer': 'tray',
  'nativeImage.createFromDataURL': 'tray',
  'new Tray': 'tray',
  'app.getLoginItemSettings': 'start-at-login',
  'nativeTheme.themeSource': 'state-presenter',
  'protocol.registerSchemesAsPrivileged': 'windows/main-window',
};

/** Calls that the compiler checks against Electron's declarations, and that no test has executed yet. */
const byTypesOnly = [
  "nativeTheme.on('updated')",
  'nativeTheme.shouldUseDarkColors',
  'app.commandLine',
  'app.enableSandbox',
  'app.getName',
  "app.on('activate')",
  "app.on('web-contents-created')",
  "app.on('window-all-closed')",
  'app.relaunch',
  'app.setAppUserModelId',
  'app.setLoginItemSettings',
  'dialog.showErrorBox',
  'net.isOnline',
  'net.request',
  'net.resolveHost',
  'powerMonitor.isOnBatteryPower',
  "powerMonitor.off('resume')",
  "powerMonitor.off('suspend')",
  "powerMonitor.on('resume')",
  "powerMonitor.on('suspend')",
  'safeStorage.decryptStringAsync',
  'safeStorage.encryptStringAsync',
  'safeStorage.getSelectedStorageBackend',
  'safeStorage.isAsyncEncryptionAvailable',
  'screen.getAllDisplays',
  'session.defaultSession',
];

/** Every API whose kind of check is listed. */
export const checkedApis: readonly string[] = [...inHost, ...Object.keys(inUnitTest), ...byTypesOnly].sort();

/** Returns every API that the app uses: calls, constructors and events of an import from `electron`. */
export function findElectronApis(): readonly string[] {
  const files = globSync('electron/**/*.ts', { cwd: root, exclude: ['electron/host/**'] });
  return [...new Set(files.flatMap((file) => findApisIn(readFileSync(join(root, file), 'utf8'))))].sort();
}

/** Returns the APIs in the text of one source file. */
export function findApisIn(source: string): string[] {
  const [, imports = ''] = /import \{([^}]+)\} from 'electron';/.exec(source) ?? [];
  const names = imports.split(',').map((name) => name.trim());
  const code = source.replaceAll(/^import [\s\S]*?;$|\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return names
    .filter((name) => name !== '' && !name.startsWith('type '))
    .flatMap((name) => [...code.matchAll(patternOf(name))].map((match) => nameOf(name, match)));
}

/** Matches `new NAME(`, `NAME.member` with the event that it listens to, and `{ member } = NAME;`. */
function patternOf(name: string): RegExp {
  return new RegExp(
    `\\bnew ${name}\\(|(?<![\\w'"/.])${name}\\s*\\.\\s*(\\w+)(?:\\(\\s*('[\\w-]+'),)?|\\{ (\\w+) \\} = ${name};`,
    'g',
  );
}

function nameOf(name: string, [, member, event, destructured]: RegExpMatchArray): string {
  if (destructured !== undefined) return `${name}.${destructured}`;
  if (member === undefined) return `new ${name}`;
  return /^(?:on|off|once)$/.test(member) && event !== undefined ? `${name}.${member}(${event})` : `${name}.${member}`;
}

function electronApiTable(): string {
  const rows = findElectronApis().map((api) => [`\`${api}\``, describeCheck(api)]);
  return markdownTable(['API', 'checked by'], rows);
}

function describeCheck(api: string): string {
  if (inHost.includes(api)) return 'browser host and end-to-end specs';
  const test = inUnitTest[api];
  return test === undefined ? 'types only' : `types and \`tests/electron/${test}.test.ts\``;
}
