/** One benchmark run: its effort, and the cleanup of everything that it started. */
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';

export type Effort = {
  readonly rounds: number;
  /** How long each contender is under load in a round. */
  readonly seconds: number;
  readonly connections: number;
  /** True if slow contenders, which take minutes, are included. */
  readonly full: boolean;
};

export class BenchRun {
  readonly effort: Effort;
  readonly #cleanups: (() => unknown)[] = [];
  readonly #tell: (what: string) => void;

  constructor(effort: Effort, tell: (what: string) => void) {
    this.effort = effort;
    this.#tell = tell;
  }

  tell(what: string): void {
    this.#tell(what);
  }

  /** Registers a cleanup for the end of the run; the last one registered runs first. */
  atEnd(cleanup: () => unknown): void {
    this.#cleanups.push(cleanup);
  }

  /** Creates a folder that the run removes. */
  newFolder(): string {
    const folder = makeTemporaryFolder();
    this.atEnd(() => removeFolder(folder));
    return folder;
  }

  /** Returns a function that starts something on the first call only. */
  once<T>(start: () => Promise<T>): () => Promise<T> {
    let started: Promise<T> | undefined;
    return () => {
      started ??= start();
      return started;
    };
  }

  async end(): Promise<void> {
    for (let cleanup = this.#cleanups.pop(); cleanup; cleanup = this.#cleanups.pop()) await cleanup();
  }
}
