/** How keyboard shortcuts are written for this system and language. */
import type { Shortcut } from '../../shared/ipc/shortcuts.ts';
import { textWithMod } from '../components/shortcut-text.ts';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';

/** Returns a function that formats a shortcut: "Ctrl+K" or "⌘K". */
export function useKeysOf(): (shortcut: Shortcut) => string {
  const { t } = useMessages();
  const isMac = useApp((app) => /^(?:darwin|macos)/i.test(app.app.platform));
  return ({ key, mod }) => (mod ? textWithMod(key, t, isMac) : key);
}
