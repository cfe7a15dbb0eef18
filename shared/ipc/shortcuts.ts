/** The keyboard shortcuts of the app, each once: the menu, the window and the list of shortcuts that it shows take them from here. */
import { type Place, places } from './open-request.ts';

/** A key by what it types; `mod` with Cmd on macOS and Ctrl elsewhere. */
export type Shortcut = { readonly key: string; readonly mod: boolean };

/** What is done by keys besides going to a place. */
export type ShortcutName = 'palette' | 'settings' | 'shortcuts';

export const shortcuts: Readonly<Record<ShortcutName, readonly [Shortcut, ...Shortcut[]]>> = {
  palette: [{ key: 'K', mod: true }],
  settings: [{ key: ',', mod: true }],
  shortcuts: [
    { key: '/', mod: true },
    { key: '?', mod: false },
  ],
};

/** The places in the order of the sidebar, with the number of each. */
export const placeShortcuts: readonly (readonly [Place, Shortcut])[] = places.map((place, index) => [
  place,
  { key: String(index + 1), mod: true },
]);

/** What Electron's menu calls it. */
export function acceleratorOf(name: ShortcutName): string {
  const [{ key, mod }] = shortcuts[name];
  return mod ? `CmdOrCtrl+${key}` : key;
}

type Pressed = {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
};

/** Whether these are its keys. Where a layout has a sign only with Shift, as `/` on German keyboards, Shift is part of it. */
export function isPressed({ key, mod }: Shortcut, pressed: Pressed): boolean {
  const isSign = !/^[\dA-Z]$/.test(key);
  const hasMod = pressed.ctrlKey || pressed.metaKey;
  return pressed.key.toUpperCase() === key && hasMod === mod && !pressed.altKey && (isSign || !pressed.shiftKey);
}
