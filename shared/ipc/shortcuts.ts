/** The app's keyboard shortcuts, for the menu, the window and its list of shortcuts. */
import { type Place, places } from './open-request.ts';

/** A key by the character it types; `mod`: with Cmd on macOS, Ctrl elsewhere. */
export type Shortcut = { readonly key: string; readonly mod: boolean };

/** Shortcuts other than those that open a place. */
export type ShortcutName = 'palette' | 'find' | 'settings' | 'shortcuts';

export const shortcuts: Readonly<Record<ShortcutName, readonly [Shortcut, ...Shortcut[]]>> = {
  palette: [{ key: 'K', mod: true }],
  find: [{ key: 'F', mod: true }],
  settings: [{ key: ',', mod: true }],
  shortcuts: [
    { key: '/', mod: true },
    { key: '?', mod: false },
  ],
};

/** The places in the order of the sidebar, with their number keys. */
export const placeShortcuts: readonly (readonly [Place, Shortcut])[] = places.map((place, index) => [
  place,
  { key: String(index + 1), mod: true },
]);

/** Returns the shortcut as an Electron accelerator. */
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

/** Returns whether the keys match. Shift may be needed for a sign, such as `/` on German keyboards. */
export function isPressed({ key, mod }: Shortcut, pressed: Pressed): boolean {
  const isSign = !/^[\dA-Z]$/.test(key);
  const hasMod = pressed.ctrlKey || pressed.metaKey;
  return pressed.key.toUpperCase() === key && hasMod === mod && !pressed.altKey && (isSign || !pressed.shiftKey);
}
