/** How the key that goes with others in shortcuts is named: Cmd on macOS, otherwise Ctrl. */

export const isMac = navigator.platform.startsWith('Mac');

type Translate = (name: 'palette.withCommand' | 'palette.withCtrl', values: { readonly key: string }) => string;

/** Returns "Ctrl+K" or "⌘K". */
export function textWithMod(key: string, t: Translate, onMac = isMac): string {
  return t(onMac ? 'palette.withCommand' : 'palette.withCtrl', { key });
}
