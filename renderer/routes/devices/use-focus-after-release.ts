/** Where the focus goes once the row that had it is gone: the next row's button, else the list's heading. */
import { type RefObject, useEffect, useState } from 'react';
import type { Device } from '../../../shared/ipc/app-state.ts';

type Released = { readonly activationId: string; readonly nextId: string | null };

/** The returned function is told which device was released, and which one came after it in the list. */
export function useFocusAfterRelease(
  heading: RefObject<HTMLElement | null>,
  devices: readonly Device[] | null,
): (released: Released) => void {
  const [released, setReleased] = useState<Released | null>(null);
  const gone = released !== null && !devices?.some(({ activationId }) => activationId === released.activationId);
  useEffect(() => {
    if (!gone) return;
    // After the dialog that asked has given the focus back to where it came from.
    const frame = requestAnimationFrame(() => {
      const row = released.nextId === null ? null : `[data-activation="${CSS.escape(released.nextId)}"] button`;
      const button = row === null ? null : document.querySelector<HTMLElement>(row);
      (button ?? heading.current)?.focus();
      setReleased(null);
    });
    return () => cancelAnimationFrame(frame);
  }, [gone, released, heading]);
  return setReleased;
}
