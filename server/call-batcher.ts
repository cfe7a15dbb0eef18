/** Collects calls that arrive together, so that one statement or one write does the work of all of them. */
import { DatabaseUnavailable } from './database/database-errors.ts';
import { currentBudget, type RequestBudget, runWithBudget } from './request-budget.ts';

export type CallBatcherDeps<Input, Output> = {
  /**
   * Does the work of a batch, outside of the budget of any request, and resolves with an output, or a promise of one, for each
   * input. It must settle in time by itself. If it rejects, so does every call of the batch.
   */
  readonly run: (inputs: readonly Input[]) => Promise<readonly (Output | Promise<Output>)[]>;
  readonly maxBatchSize: number;
  /** How many batches run at the same time; what arrives meanwhile is collected. */
  readonly maxRunning: number;
  /** How many calls may wait for their batch to begin. */
  readonly maxWaiting: number;
};

type Call<Input, Output> = {
  readonly input: Input;
  readonly budget: RequestBudget | undefined;
  resolve(output: Output | Promise<Output>): void;
  reject(error: unknown): void;
};

const overdueCheckMs = 100;

export class CallBatcher<Input, Output> {
  readonly #deps: CallBatcherDeps<Input, Output>;
  #waiting: Call<Input, Output>[] = [];
  readonly #running = new Set<readonly Call<Input, Output>[]>();
  #isScheduled = false;
  #overdueTimer: NodeJS.Timeout | undefined;

  constructor(deps: CallBatcherDeps<Input, Output>) {
    this.#deps = deps;
  }

  /**
   * Rejects as `run` does, with `BudgetExceeded` when the time of the request is over (a batch that has begun continues), and
   * with `DatabaseUnavailable` if too many calls are waiting.
   */
  call(input: Input): Promise<Output> {
    if (this.#waiting.length >= this.#deps.maxWaiting) {
      return Promise.reject(new DatabaseUnavailable(new Error('too many calls are waiting')));
    }
    return new Promise<Output>((resolve, reject) => {
      this.#waiting.push({ input, budget: currentBudget(), resolve, reject });
      this.#schedule();
    });
  }

  /** The rest of this turn of the event loop may bring more for the same batch. */
  #schedule(): void {
    if (this.#isScheduled || this.#running.size >= this.#deps.maxRunning) return;
    this.#isScheduled = true;
    setImmediate(() => runWithBudget(undefined, () => this.#begin()));
  }

  #begin(): void {
    this.#isScheduled = false;
    const calls = this.#waiting.splice(0, this.#deps.maxBatchSize).filter((call) => !rejectOverdue(call));
    if (calls.length > 0) void this.#run(calls);
    if (this.#waiting.length > 0) this.#schedule();
  }

  async #run(calls: readonly Call<Input, Output>[]): Promise<void> {
    this.#running.add(calls);
    this.#overdueTimer ??= setInterval(() => this.#rejectOverdue(), overdueCheckMs);
    try {
      const outputs = await this.#deps.run(calls.map(({ input }) => input));
      if (outputs.length !== calls.length) throw new TypeError('a batch needs as many outputs as it has inputs');
      for (const [index, { resolve }] of calls.entries()) resolve(outputs[index] as Output);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    } finally {
      this.#running.delete(calls);
      if (this.#waiting.length > 0) this.#schedule();
      else if (this.#running.size === 0) this.#stopTimer();
    }
  }

  /** One timer for all calls costs less than one for each. */
  #rejectOverdue(): void {
    this.#waiting = this.#waiting.filter((call) => !rejectOverdue(call));
    for (const calls of this.#running) {
      // The outcome still matters to a request whose client has closed the connection.
      for (const call of calls) if (call.budget && call.budget.remainingMs() <= 0) rejectOverdue(call);
    }
  }

  #stopTimer(): void {
    clearInterval(this.#overdueTimer);
    this.#overdueTimer = undefined;
  }
}

/** Has no effect on a call that has settled. Returns whether it is overdue. */
function rejectOverdue({ budget, reject }: Pick<Call<unknown, unknown>, 'budget' | 'reject'>): boolean {
  const problem = budget?.problem();
  if (problem) reject(problem);
  return problem !== undefined;
}
