/** A right click offers what can be done with the text there; without it, a key could not be pasted with the mouse. */
import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { beforeEach, expect, it, vi } from 'vitest';
import { messagesByLanguage } from '../../../electron/i18n/messages.ts';

type Item = Electron.MenuItemConstructorOptions;

const popup = vi.hoisted(() => vi.fn<(items: Item[], options: Electron.PopupOptions) => void>());
vi.mock('electron', () => ({
  Menu: {
    buildFromTemplate: (items: Item[]) => ({
      popup: (options: Electron.PopupOptions) => popup(items, options),
    }),
  },
}));
const { offerContextMenu } = await import('../../../electron/windows/context-menu.ts');

const webContents = new EventEmitter();
const window = { webContents } as unknown as BrowserWindow;
let messages = messagesByLanguage.en;
offerContextMenu(window, () => messages);

const canAll = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true };
const text = { isEditable: false, editFlags: canAll, selectionText: '', menuSourceType: 'mouse', x: 30, y: 40 };

beforeEach(() => popup.mockReset());

/** The menu that opens. */
function openOn(target: Partial<Omit<typeof text, 'editFlags'>> & { readonly editFlags?: object }) {
  webContents.emit('context-menu', {}, { ...text, ...target });
  const [items = [], options] = popup.mock.calls.at(-1) ?? [];
  const shown = items.filter(({ type }) => type !== 'separator');
  return { items, options, roles: shown.map(({ role }) => role), labels: shown.map(({ label }) => label) };
}

it('in a field it cuts, copies, pastes and selects, as far as that is possible', () => {
  const { items, roles, labels, options } = openOn({
    isEditable: true,
    editFlags: { ...canAll, canCut: false, canCopy: false },
  });
  expect(roles).toEqual(['cut', 'copy', 'paste', 'selectAll']);
  expect(labels).toEqual(['Cut', 'Copy', 'Paste', 'Select All']);
  expect(items.map(({ enabled }) => enabled)).toEqual([false, false, true, undefined, true]);
  expect(options).toEqual({ window });
});

it('on selected text it copies, and elsewhere there is none', () => {
  expect(openOn({ selectionText: 'HW-01234567' }).roles).toEqual(['copy']);
  popup.mockReset();
  openOn({ selectionText: ' \n' });
  openOn({});
  expect(popup).not.toHaveBeenCalled();
});

it('opens where the focus is if a key has opened it', () => {
  expect(openOn({ isEditable: true, menuSourceType: 'keyboard' }).options).toEqual({ window, x: 30, y: 40 });
});

it('is in the language of the window, also after a change', () => {
  messages = messagesByLanguage.de;
  expect(openOn({ isEditable: true }).labels).toEqual([
    messages.menu.cut,
    messages.menu.copy,
    messages.menu.paste,
    messages.menu.selectAll,
  ]);
});
