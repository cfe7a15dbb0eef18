/** Runs asynchronous tasks one at a time, in the order in which they were added. */

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the task after all earlier ones, and settles as it does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves once every task added so far has ended; never rejects. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
