/** Focuses the setting that was chosen elsewhere, such as in the command palette or the connection doctor. */
import { useEffect } from 'react';
import { askSetting, useStore } from '../store.ts';

/** Used by the screen that shows the setting; its control has the id `setting-` and the name of the setting. */
export function useAskedSetting(): void {
  const asked = useStore((store) => store.askedSetting);
  useEffect(() => {
    if (asked === null) return;
    document.getElementById(`setting-${asked}`)?.focus();
    askSetting(null);
  }, [asked]);
}
