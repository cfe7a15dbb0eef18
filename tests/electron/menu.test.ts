/** The menu is that of its system, and a packaged app has nothing in it for developers. */
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

/** The roles of each menu, by the label of the menu. */
function menuOn(system: NodeJS.Platform): Record<string, readonly (string | undefined)[]> {
  platform.mockReturnValue(system);
  setMenu(messagesByLanguage.en);
  const menus = electron.Menu.setApplicationMenu.mock.calls.at(-1)?.[0] ?? [];
  return Object.fromEntries(
    menus.map(({ label = '', submenu }) => [label, (submenu as Item[]).flatMap(({ role }) => role ?? [])]),
  );
}

describe('the menu', () => {
  it('on macOS begins with that of the app, which hides and quits it, and closes the window', () => {
    const menus = menuOn('darwin');
    expect(Object.keys(menus)).toEqual(['Latchkey', 'File', 'Edit', 'View', 'Window']);
    expect(menus.Latchkey).toEqual(['about', 'services', 'hide', 'hideOthers', 'unhide', 'quit']);
    expect(menus.File).toEqual(['close']);
    expect(menus.Window).toEqual(['minimize', 'zoom', 'front']);
  });

  it.each(['win32', 'linux'] as const)('on %s begins with File, which quits it', (system) => {
    const menus = menuOn(system);
    expect(Object.keys(menus)).toEqual(['File', 'Edit', 'View', 'Window']);
    expect(menus.File).toEqual(['quit']);
    expect(menus.Window).toContain('close');
  });

  it.each(['darwin', 'win32', 'linux'] as const)('edits text and zooms on %s', (system) => {
    const { Edit, View } = menuOn(system);
    expect(Edit).toEqual(['undo', 'redo', 'cut', 'copy', 'paste', 'delete', 'selectAll']);
    expect(View).toEqual(['resetZoom', 'zoomIn', 'zoomOut', 'togglefullscreen']);
  });

  it('reloads and opens the developer tools only while the app is developed', () => {
    electron.app.isPackaged = false;
    expect(menuOn('linux').View).toEqual(expect.arrayContaining(['reload', 'toggleDevTools']));
  });
});
