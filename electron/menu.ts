/** The application menu. Electron labels its roles in English only, so each item has a label of our own. */
import { app, Menu } from 'electron';
import { acceleratorOf } from '../shared/ipc/shortcuts.ts';
import type { Messages } from './i18n/en.ts';

type Item = Electron.MenuItemConstructorOptions;

/** What the menu does in addition to its roles. */
export type MenuActions = {
  /** Checks the license with the server. */
  readonly checkNow: () => void;
  readonly openSettings: () => void;
  readonly checkForUpdates: () => void;
  readonly showShortcuts: () => void;
  /** `null` if this installation has no help page. */
  readonly openHelp: (() => void) | null;
};

const separator: Item = { type: 'separator' };

/**
 * Sets the menu in the given language. Items that open a screen are disabled without `hasScreens`, i.e. while the
 * window can only ask for a sign-in. A packaged app offers neither Reload nor Developer Tools.
 */
export function setMenu({ menu: messages }: Messages, actions: MenuActions, hasScreens: boolean): void {
  const isMac = process.platform === 'darwin';
  const own = ownItems(messages, actions, hasScreens);
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [appMenu(messages, own)] : []),
      fileMenu(messages, own, isMac),
      editMenu(messages),
      viewMenu(messages),
      windowMenu(messages, isMac),
      helpMenu(messages, actions, hasScreens),
    ]),
  );
}

function appMenu(messages: Messages['menu'], own: readonly Item[]): Item {
  return {
    role: 'appMenu',
    label: app.getName(),
    submenu: [
      { role: 'about', label: messages.about },
      separator,
      ...own,
      separator,
      { role: 'services', label: messages.services },
      separator,
      { role: 'hide', label: messages.hide },
      { role: 'hideOthers', label: messages.hideOthers },
      { role: 'unhide', label: messages.showAll },
      separator,
      { role: 'quit', label: messages.quit },
    ],
  };
}

/** macOS has Settings and Quit in the app menu, and Close here. */
function fileMenu(messages: Messages['menu'], own: readonly Item[], isMac: boolean): Item {
  const submenu: Item[] = isMac
    ? [{ role: 'close', label: messages.close }]
    : [...own, separator, { role: 'quit', label: messages.exit }];
  return { role: 'fileMenu', label: messages.file, submenu };
}

function ownItems(messages: Messages['menu'], actions: MenuActions, enabled: boolean): Item[] {
  return [
    { label: messages.settings, accelerator: acceleratorOf('settings'), enabled, click: actions.openSettings },
    { label: messages.checkForUpdates, enabled, click: actions.checkForUpdates },
  ];
}

function editMenu(messages: Messages['menu']): Item {
  return {
    role: 'editMenu',
    label: messages.edit,
    submenu: [
      { role: 'undo', label: messages.undo },
      { role: 'redo', label: messages.redo },
      separator,
      { role: 'cut', label: messages.cut },
      { role: 'copy', label: messages.copy },
      { role: 'paste', label: messages.paste },
      { role: 'delete', label: messages.delete },
      separator,
      { role: 'selectAll', label: messages.selectAll },
    ],
  };
}

function viewMenu(messages: Messages['menu']): Item {
  const forDevelopers: Item[] = [
    { role: 'reload', label: messages.reload },
    { role: 'toggleDevTools', label: messages.developerTools },
  ];
  return {
    label: messages.view,
    submenu: [
      { role: 'resetZoom', label: messages.actualSize },
      { role: 'zoomIn', label: messages.zoomIn },
      { role: 'zoomOut', label: messages.zoomOut },
      ...otherZoomKeys(messages),
      separator,
      { role: 'togglefullscreen', label: messages.fullScreen },
      ...(app.isPackaged ? [] : forDevelopers),
    ],
  };
}

/**
 * Further keys that users know from browsers: the plus key without Shift, and the number pad. An item has one
 * accelerator, so each is an item of its own that is not shown.
 */
function otherZoomKeys(messages: Messages['menu']): Item[] {
  return [
    { role: 'zoomIn', label: messages.zoomIn, accelerator: 'CmdOrCtrl+=', visible: false },
    { role: 'zoomIn', label: messages.zoomIn, accelerator: 'CmdOrCtrl+numadd', visible: false },
    { role: 'zoomOut', label: messages.zoomOut, accelerator: 'CmdOrCtrl+numsub', visible: false },
    { role: 'resetZoom', label: messages.actualSize, accelerator: 'CmdOrCtrl+num0', visible: false },
  ];
}

function windowMenu(messages: Messages['menu'], isMac: boolean): Item {
  const last: Item[] = isMac
    ? [separator, { role: 'front', label: messages.bringToFront }]
    : [{ role: 'close', label: messages.close }];
  return {
    role: 'windowMenu',
    label: messages.window,
    submenu: [{ role: 'minimize', label: messages.minimize }, { role: 'zoom', label: messages.zoom }, ...last],
  };
}

function helpMenu(messages: Messages['menu'], { openHelp, showShortcuts }: MenuActions, enabled: boolean): Item {
  const submenu: Item[] = [
    ...(openHelp === null ? [] : [{ label: messages.openHelp, click: openHelp }]),
    { label: messages.shortcuts, accelerator: acceleratorOf('shortcuts'), enabled, click: showShortcuts },
  ];
  return { role: 'help', label: messages.help, submenu };
}
