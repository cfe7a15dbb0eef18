/** What Stryker reports (schema 2 of mutation-testing-elements), as far as it is used here. */
import { equivalents } from './equivalent.ts';

type Report = {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string;
        readonly mutants: readonly {
          readonly status: string;
          readonly replacement?: string;
          readonly location: { readonly start: { readonly line: number } };
        }[];
      }
    >
  >;
};

export type Mutant = {
  readonly file: string;
  readonly line: number;
  /** The line that is changed. */
  readonly source: string;
  /** The text that replaces a part of it. */
  readonly replacement: string;
  readonly status: string;
};

export type Score = { readonly total: number; readonly noticed: number; readonly percent: number };

/** Returns the meaningful mutants, without those that could not be tried or run only once. */
export function readMutants({ files }: Report): Mutant[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ status }) => ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status))
      .map(({ status, replacement = '', location: { start } }) => ({
        file,
        line: start.line,
        source: (lines[start.line - 1] ?? '').trim(),
        replacement: replacement.replaceAll(/\s+/g, ' ').trim(),
        status,
      }));
  });
}

export function scoreOf(mutants: readonly Mutant[]): Score {
  const total = mutants.length;
  const noticed = mutants.filter(isNoticed).length;
  return { total, noticed, percent: total === 0 ? 100 : Math.floor((1000 * noticed) / total) / 10 };
}

/** Returns the undetected mutants that `equivalent.ts` does not explain. */
export function findUnlisted(mutants: readonly Mutant[]): Mutant[] {
  return mutants.filter(
    (mutant) =>
      !isNoticed(mutant) &&
      !equivalents.some(
        ({ file, source, replacement }) =>
          file === mutant.file &&
          source === mutant.source &&
          (replacement === undefined || replacement === mutant.replacement),
      ),
  );
}

function isNoticed({ status }: Mutant): boolean {
  return status === 'Killed' || status === 'Timeout';
}
