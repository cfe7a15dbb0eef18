/** Keeps the focus in the window when the control that has it disappears, e.g. after a press that closes a notice. */
import { useEffect } from 'react';
import { focusContent } from './focus-content.ts';

/** Focuses the screen if nothing else has taken the focus: otherwise the next Tab would begin at the sidebar. */
export function useKeptFocus(): void {
  useEffect(() => {
    let focused: Element | null = null;
    const remember = ({ target }: FocusEvent) => {
      focused = target instanceof Element ? target : null;
    };
    // A control that the user has left may disappear later.
    const forget = ({ target }: FocusEvent) =>
      requestAnimationFrame(() => {
        if (focused === target && focused?.isConnected) focused = null;
      });
    const keep = () =>
      // Later than whatever puts the focus on a better place.
      requestAnimationFrame(() => {
        if (focused === null || focused.isConnected || document.activeElement !== document.body) return;
        focused = null;
        focusContent();
      });
    const observer = new MutationObserver(keep);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', remember);
    document.addEventListener('focusout', forget);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('focusout', forget);
    };
  }, []);
}
