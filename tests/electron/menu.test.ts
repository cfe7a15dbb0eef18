/** The menu follows the conventions of its system, and a packaged app has no developer items in it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messagesByLanguage } from '../../electron/i18n/messages.ts';

type Item = Electron.MenuItemConstructorOptions;

const electron = vi.hoisted(() => ({
  app: { isPackaged: true, getName: () => 'Latchkey' },
  Menu: { buildFromTemplate: (template: Item[]) => template, setApplicationMenu: vi.fn<(menu: Item[]) => void>() },
}));
vi.mock('electron', () => electron);
const { setMenu } = await import('../../electron/menu.ts');

const platform = vi.spyOn(process, 'platform', 'get');

beforeEach(() => {
  electron.app.isPackaged = true;
});
afterEach(() => platform.mockReset());

const actions = {
  checkNow: vi.fn(),
  openSettings: vi.fn(),
  checkForUpdates: vi.fn(),
  showShortcuts: vi.fn(),
  openHelp: null,
};

/** The items of each menu, by the menu's label. */
function itemsOn(system: NodeJS.Platform, hasScreens = true): Record<string, readonly Item[]> {
  platform.mockReturnValue(system);
  setMenu(messagesByLanguage.en, actions, hasScreens);
  const menus = electron.Menu.setApplicationMenu.mock.calls.at(-1)?.[0] ?? [];
  return Object.fromEntries(menus.map(({ label = '', submenu }) => [label, submenu as Item[]]));
}

/** The roles of each menu's items, by the menu's label. */
function menuOn(system: NodeJS.Platform): Record<string, readonly (string | undefined)[]> {
  const menus = Object.entries(itemsOn(system));
  return Object.fromEntries(menus.map(([label, items]) => [label, items.flatMap(({ role }) => role ?? [])]));
}

describe('the menu', () => {
  it('on macOS begins with the app’s menu, which hides and quits it, and closes the window from File', () => {
    const menus = menuOn('darwin');
    expect(Object.keys(menus)).toEqual(['Latchkey', 'File', 'Edit', 'View', 'Window', 'Help']);
    expect(menus.Latchkey).toEqual(['about', 'services', 'hide', 'hideOthers', 'unhide', 'quit']);
    expect(menus.File).toEqual(['close']);
    expect(menus.Window).toEqual(['minimize', 'zoom', 'front']);
  });

  it.each(['win32', 'linux'] as const)('on %s begins with File, which quits the app', (system) => {
    const menus = menuOn(system);
    expect(Object.keys(menus)).toEqual(['File', 'Edit', 'View', 'Window', 'Help']);
    expect(menus.File).toEqual(['quit']);
    expect(menus.Window).toContain('close');
  });

  it.each([
    ['darwin', 'Latchkey'],
    ['win32', 'File'],
    ['linux', 'File'],
  ] as const)('on %s opens the settings and checks for updates from %s', (system, name) => {
    const own = itemsOn(system)[name]?.filter(({ role, type }) => role === undefined && type === undefined);
    expect(own).toMatchObject([
      { label: 'Settings…', accelerator: 'CmdOrCtrl+,', click: actions.openSettings },
      { label: 'Check for Updates…', click: actions.checkForUpdates },
    ]);
  });

  it('opens no screen while the window can only show the sign-in', () => {
    const enabled = (hasScreens: boolean) => itemsOn('linux', hasScreens).File?.flatMap((item) => item.enabled ?? []);
    expect(enabled(false)).toEqual([false, false]);
    expect(enabled(true)).toEqual([true, true]);
  });

  it('opens the help page if there is one', () => {
    expect(itemsOn('linux').Help?.map(({ label }) => label)).toEqual(['Keyboard Shortcuts']);
    const openHelp = vi.fn();
    platform.mockReturnValue('linux');
    setMenu(messagesByLanguage.en, { ...actions, openHelp }, true);
    const last = electron.Menu.setApplicationMenu.mock.calls.at(-1)?.[0].at(-1);
    expect(last).toMatchObject({ role: 'help', label: 'Help' });
    expect((last?.submenu as Item[] | undefined)?.[0]).toMatchObject({ label: 'Latchkey Help', click: openHelp });
  });

  it('opens the list of shortcuts with the same keys as the window', () => {
    const item = itemsOn('linux').Help?.at(-1);
    expect(item).toMatchObject({ accelerator: 'CmdOrCtrl+/', click: actions.showShortcuts, enabled: true });
    expect(itemsOn('linux', false).Help?.at(-1)).toMatchObject({ enabled: false });
  });

  it.each(['darwin', 'win32', 'linux'] as const)('edits text and zooms on %s', (system) => {
    const { Edit, View } = menuOn(system);
    expect(Edit).toEqual(['undo', 'redo', 'cut', 'copy', 'paste', 'delete', 'selectAll']);
    expect([...new Set(View)]).toEqual(['resetZoom', 'zoomIn', 'zoomOut', 'togglefullscreen']);
  });

  it('also zooms with the plus key without Shift and with the number pad, in items that are not shown', () => {
    const hidden = itemsOn('win32').View?.filter(({ visible }) => visible === false) ?? [];
    expect(hidden.map(({ role, accelerator }) => [role, accelerator])).toEqual([
      ['zoomIn', 'CmdOrCtrl+='],
      ['zoomIn', 'CmdOrCtrl+numadd'],
      ['zoomOut', 'CmdOrCtrl+numsub'],
      ['resetZoom', 'CmdOrCtrl+num0'],
    ]);
  });

  it('reloads and opens the developer tools only during development', () => {
    electron.app.isPackaged = false;
    expect(menuOn('linux').View).toEqual(expect.arrayContaining(['reload', 'toggleDevTools']));
  });
});
