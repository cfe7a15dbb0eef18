/** The colour behind the page before it has painted, so that no look flashes in the other's colour. */
import { nativeTheme } from 'electron';
import type { Settings } from '../../shared/ipc/settings.ts';

/** The background of the look that is on now. */
export function windowBackground(): string {
  return nativeTheme.shouldUseDarkColors ? '#0e1016' : '#eef0f4';
}

/** Follows the person's choice of look. */
export function applyTheme(theme: Settings['theme']): void {
  if (nativeTheme.themeSource !== theme) nativeTheme.themeSource = theme;
}
