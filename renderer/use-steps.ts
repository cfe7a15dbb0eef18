/** Shows a long list in steps: the first rows, and more of them on each request. */
import { type RefObject, useEffect, useRef, useState } from 'react';

type Steps = {
  /** The list, whose children are the rows. */
  readonly list: RefObject<HTMLUListElement | null>;
  /** Number of rows to show. */
  readonly shown: number;
  /** Number of rows that the next step adds; 0 if all are shown. */
  readonly next: number;
  readonly showMore: () => void;
};

/** `count` is the number of all rows, `step` that of those shown at first and added on each request. */
export function useSteps(count: number, step: number): Steps {
  const [shown, setShown] = useState(step);
  const list = useRef<HTMLUListElement>(null);
  // Moves the focus to the first added row, because the button may be gone.
  useEffect(() => {
    if (shown > step) list.current?.children[shown - step]?.querySelector('button')?.focus();
  }, [shown, step]);
  const next = Math.max(0, Math.min(count - shown, step));
  return { list, shown, next, showMore: () => setShown(shown + step) };
}
