/** Pages of a list that is part of a screen; the current page is not part of the address. */
import { useState } from 'react';

export type Steps = {
  /** Start key of the page; `null` for the first page. */
  readonly after: string | null;
  readonly goForward: (next: string) => void;
  readonly goBack: () => void;
  readonly goToStart: () => void;
};

export function useSteps(): Steps {
  const [steps, setSteps] = useState<readonly string[]>([]);
  return {
    after: steps.at(-1) ?? null,
    goForward: (next) => setSteps([...steps, next]),
    goBack: () => setSteps(steps.slice(0, -1)),
    goToStart: () => setSteps([]),
  };
}
