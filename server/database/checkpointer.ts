/** Checkpoints of a SQLite database, in a thread of their own. */
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckpointResult } from './checkpoint-thread.ts';

/** Beside this file, among the sources as well as in the bundle. */
const threadFile = join(import.meta.dirname, `checkpoint-thread${extname(import.meta.filename)}`);

export class Checkpointer {
  readonly #path: string;
  #thread: Worker | undefined;
  #running: Promise<boolean> | undefined;

  /** `path` is that of the database. The first checkpoint starts the thread. */
  constructor(path: string) {
    this.#path = path;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Copies the log into the database, syncs both, and begins a new log. Resolves with `false` if a reader, or the checkpoint
   * of another process, prevents that. Rejects with the error of SQLite, or of the thread.
   */
  async run(): Promise<boolean> {
    await this.#idle();
    this.#running = this.#runInThread();
    try {
      return await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  /** Waits for the checkpoint that runs, and ends the thread. */
  async close(): Promise<void> {
    await this.#idle();
    await this.#thread?.terminate();
  }

  async #idle(): Promise<void> {
    while (this.#running) await this.#running.catch(() => undefined);
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
    // When the thread ends, the checkpoint that is running fails, and the next one starts another thread.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    // A program that does not close its database can still end.
    thread.unref();
    this.#thread = thread;
    return thread;
  }
}
