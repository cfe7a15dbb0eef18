/** Handles the keyboard shortcuts on every screen of the window; see `shared/ipc/shortcuts.ts`. */
import { useEffect } from 'react';
import { isPressed, placeShortcuts, type ShortcutName, shortcuts } from '../../shared/ipc/shortcuts.ts';
import { focusFindField } from '../components/FindField.tsx';
import { isMac } from '../components/shortcut-text.ts';
import { goToPlace } from '../open-request.ts';
import { showPalette, showShortcuts } from '../store.ts';
import { isTakenElsewhere } from './is-taken-elsewhere.ts';

const acts: Readonly<Record<ShortcutName, () => void>> = {
  palette: () => showPalette(true),
  find,
  settings: () => goToPlace('settings'),
  shortcuts: () => showShortcuts(true),
};

export function useShortcuts(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const act = findAct(event);
      if (act === null) return;
      // Also keeps the app's menu from handling the shortcut a second time.
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** On a screen without a list to search, there are the commands, which also find settings and devices. */
function find(): void {
  if (document.querySelector('dialog[open]') === null && !focusFindField()) showPalette(true);
}

function findAct(event: KeyboardEvent): (() => void) | null {
  // On macOS, shortcuts have Cmd; Ctrl with a letter moves or deletes in a text field.
  if (isMac && event.ctrlKey) return null;
  for (const [place, shortcut] of placeShortcuts) {
    if (isPressed(shortcut, event)) return () => goToPlace(place);
  }
  for (const name of Object.keys(shortcuts) as ShortcutName[]) {
    const pressed = shortcuts[name].find((shortcut) => isPressed(shortcut, event));
    if (pressed !== undefined) return pressed.mod || !isTakenElsewhere(event) ? acts[name] : null;
  }
  return null;
}
