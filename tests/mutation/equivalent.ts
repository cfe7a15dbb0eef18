/** Changes that no test can notice, or that need not be noticed, with the reason. */

export type Equivalent = {
  readonly file: string;
  /** The line, without its indentation. */
  readonly source: string;
  /** What stands in place of a part of it; left out: whatever does. */
  readonly replacement?: string;
  readonly reason: string;
};

export const equivalents: readonly Equivalent[] = [];
