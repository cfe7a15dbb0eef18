/** The pages of a list that is a part of a screen: which one is shown is not in the address. */
import { useState } from 'react';

export type Steps = {
  /** What the page begins with; `null` for the first one. */
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
