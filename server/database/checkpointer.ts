/** Runs checkpoints of a SQLite database in a separate thread. */
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckpointResult } from './checkpoint-thread.ts';

/** Next to this file, both in the source tree and in the bundle. */
const threadFile = join(import.meta.dirname, `checkpoint-thread${extname(import.meta.filename)}`);

export class Checkpointer {
  readonly #path: string;
  #thread: Worker | undefined;
  #running: Promise<boolean> | undefined;

  /** `path` is the path of the database file. The thread starts with the first checkpoint. */
  constructor(path: string) {
    this.#path = path;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Copies the log into the database, syncs both, and starts a new log. Resolves to `false` if a reader or another
   * process's checkpoint prevents that. Rejects with the error of SQLite or of the thread. Must not be called while a
   * checkpoint is running.
   */
  run(): Promise<boolean> {
    this.#running = this.#runInThread().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Waits for a running checkpoint, then ends the thread. */
  async close(): Promise<void> {
    await this.#running?.catch(() => undefined);
    await this.#thread?.terminate();
  }

  async #runInThread(): Promise<boolean> {
    const thread = this.#startThread();
    const { promise, resolve, reject } = Promise.withResolvers<CheckpointResult>();
    const onExit = () => reject(new Error('the thread of checkpoints has ended'));
    thread.once('message', resolve).once('exit', onExit).postMessage('checkpoint');
    try {
      const result = await promise;
      if ('error' in result) throw result.error;
      return result.isComplete;
    } finally {
      thread.off('message', resolve).off('exit', onExit);
    }
  }

  #startThread(): Worker {
    if (this.#thread) return this.#thread;
    const thread = new Worker(threadFile, { workerData: this.#path, execArgv: [] });
    // When the thread ends, the running checkpoint fails and the next one starts a new thread.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    // A program can exit even if it has not closed its database.
    thread.unref();
    this.#thread = thread;
    return thread;
  }
}
