/** The parts of Electron that a browser cannot provide. They do nothing, as in Electron on a system without them. */
import { EventEmitter } from 'node:events';

export const Menu = {
  buildFromTemplate: (_template: Electron.MenuItemConstructorOptions[]) => ({
    popup: (_options: Pick<Electron.PopupOptions, 'x' | 'y'> & { readonly window: object }) => {},
  }),
  setApplicationMenu: (_menu: object | null) => {},
};

const noImage = { setTemplateImage: () => {} } as unknown as Electron.NativeImage;

export const nativeImage = { createFromDataURL: () => noImage, createFromBuffer: () => noImage } as Pick<
  typeof Electron.NativeImage,
  'createFromDataURL' | 'createFromBuffer'
>;

export class Tray extends EventEmitter {
  constructor(_image: object) {
    super();
  }
  setImage(_image: object): void {}
  setToolTip(_text: string): void {}
  setContextMenu(_menu: object | null): void {}
}

/** The browser host installs no updates. */
export const autoUpdater = new EventEmitter();

export const nativeTheme = Object.assign(new EventEmitter(), {
  shouldUseDarkColors: false,
  themeSource: 'system',
} as Pick<Electron.NativeTheme, 'shouldUseDarkColors' | 'themeSource'>);

export const powerMonitor = Object.assign(new EventEmitter(), { isOnBatteryPower: () => false });

/** Without Electron, the main process sends its requests through Node. */
export const net: Pick<Electron.Net, 'isOnline' | 'request' | 'resolveHost'> = {
  isOnline: () => true,
  resolveHost: () => Promise.reject(new Error('The browser host has no network of Electron.')),
  request: () => {
    throw new Error('The browser host has no network of Electron.');
  },
};

export const screen = {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } } as Electron.Display],
} satisfies Pick<Electron.Screen, 'getAllDisplays'>;

/** A browser asks the user for permissions itself, and the page's security policy leaves nothing to ask for. */
export const session = {
  defaultSession: {
    setPermissionRequestHandler: () => {},
    setPermissionCheckHandler: () => {},
    resolveProxy: () => Promise.reject(new Error('The browser host has no network of Electron.')),
  } as Pick<Electron.Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'resolveProxy'>,
};

/** No keyring: the main process then stores secrets in encrypted files. */
export const safeStorage: Pick<
  Electron.SafeStorage,
  'isAsyncEncryptionAvailable' | 'getSelectedStorageBackend' | 'encryptStringAsync' | 'decryptStringAsync'
> = {
  isAsyncEncryptionAvailable: async () => false,
  getSelectedStorageBackend: () => 'basic_text' as const,
  encryptStringAsync: () => Promise.reject(new Error('The browser host has no keyring.')),
  decryptStringAsync: () => Promise.reject(new Error('The browser host has no keyring.')),
};
