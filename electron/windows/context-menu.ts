/** The menu of a right click or the menu key, which Electron does not have by itself: copying and pasting text. */
import { type BrowserWindow, Menu } from 'electron';
import type { Messages } from '../i18n/en.ts';

type Item = Electron.MenuItemConstructorOptions;
type Target = Pick<
  Electron.ContextMenuParams,
  'isEditable' | 'editFlags' | 'selectionText' | 'menuSourceType' | 'x' | 'y'
>;

/** Active for as long as the window exists. `messages` returns those in the current language. */
export function offerContextMenu(window: BrowserWindow, messages: () => Messages): void {
  window.webContents.on('context-menu', (_event, target) => {
    const items = itemsFor(target, messages().menu);
    if (items.length === 0) return;
    // Otherwise it opens at the pointer, which may be elsewhere.
    const at = target.menuSourceType === 'keyboard' ? { x: target.x, y: target.y } : {};
    Menu.buildFromTemplate(items).popup({ window, ...at });
  });
}

/** Electron labels its roles in English only. A password cannot be copied, which `editFlags` say. */
function itemsFor({ isEditable, editFlags, selectionText }: Target, labels: Messages['menu']): Item[] {
  const copy: Item = { role: 'copy', label: labels.copy, enabled: editFlags.canCopy };
  if (!isEditable) return selectionText.trim() === '' ? [] : [copy];
  return [
    { role: 'cut', label: labels.cut, enabled: editFlags.canCut },
    copy,
    { role: 'paste', label: labels.paste, enabled: editFlags.canPaste },
    { type: 'separator' },
    { role: 'selectAll', label: labels.selectAll, enabled: editFlags.canSelectAll },
  ];
}
