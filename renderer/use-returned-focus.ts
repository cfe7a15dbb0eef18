/** Keeps the focus for controls that replace the button which opens them. */
import { type RefObject, useEffect, useRef } from 'react';

/**
 * Returns the ref for that button, which is not rendered while `isOpen`: it gets the focus back if the focus was lost
 * with what has closed.
 */
export function useReturnedFocus(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return button;
}
