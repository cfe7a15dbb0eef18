/** One run of the benchmarks: its effort, and what it has started and must end. */
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';

export type Effort = {
  readonly rounds: number;
  /** How long each contender is loaded in a round. */
  readonly seconds: number;
  readonly connections: number;
  /** Also what takes minutes. */
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

  /** Runs when the run is over, the last one first. */
  atEnd(cleanup: () => unknown): void {
    this.#cleanups.push(cleanup);
  }

  /** A folder of this run. */
  newFolder(): string {
    const folder = makeTemporaryFolder();
    this.atEnd(() => removeFolder(folder));
    return folder;
  }

  /** Starts something when it is first needed, and only once. */
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
