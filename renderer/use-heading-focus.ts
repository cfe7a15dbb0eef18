/** Moves the focus to a panel that has replaced the one with the focused control. */
import { useEffect, useRef } from 'react';

/** Whenever `shown` changes and the focus was lost or left to the whole screen, focuses the heading with this id. */
export function useHeadingFocus(headingId: string, shown: unknown): void {
  const previous = useRef(shown);
  useEffect(() => {
    if (Object.is(previous.current, shown)) return;
    previous.current = shown;
    // Runs after a confirmation dialog has returned the focus.
    const frame = requestAnimationFrame(() => {
      const { activeElement } = document;
      if (activeElement === document.body || activeElement?.id === 'content')
        document.getElementById(headingId)?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [headingId, shown]);
}
