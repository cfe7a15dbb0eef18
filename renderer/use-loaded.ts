/** A hook with which a component loads what it shows. */
import { useEffect, useState } from 'react';
import type { Result } from '../shared/ipc/result.ts';
import { runCommand } from './run-command.ts';

type Loaded<T> = {
  /** The latest result; `null` before the first. */
  readonly result: Result<T> | null;
  /** False while the result for the current inputs is still loading. */
  readonly isCurrent: boolean;
};

/**
 * Loads when the component is mounted, and again whenever an input changes. A result that arrives after its inputs have
 * changed is ignored.
 */
export function useLoaded<T>(load: () => Promise<Result<T>>, inputs: readonly unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<{ readonly inputs: readonly unknown[]; readonly result: Result<T> } | null>(
    null,
  );
  useEffect(() => {
    let isCurrent = true;
    void runCommand(load).then((result) => {
      if (isCurrent) setLoaded({ inputs, result });
    });
    return () => {
      isCurrent = false;
    };
    // biome-ignore lint/correctness/useExhaustiveDependencies: the inputs say when to load again
  }, inputs);
  const isCurrent = loaded?.inputs.every((input, index) => Object.is(input, inputs[index])) ?? false;
  return { result: loaded?.result ?? null, isCurrent };
}
