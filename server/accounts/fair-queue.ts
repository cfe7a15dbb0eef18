/**
 * A bounded queue that runs a few jobs at a time and alternates between groups, so that none of them blocks the others.
 */

/** Number of preferred jobs in a row after which another job runs, if one is waiting. */
const maxPreferredInRow = 4;

export type Turn = {
  /** Owner of the job. Groups are served round-robin, however many jobs each has. */
  readonly group: string;
  /** Preferred jobs run before the others, except that the others get every fifth turn. */
  readonly isPreferred: boolean;
};

type FairQueueDeps = {
  readonly concurrency: number;
  /** Maximum number of waiting jobs. */
  readonly capacity: number;
  /** Creates the error for a job that is dropped because too many are waiting. */
  readonly createFullError: () => Error;
};

type Job = { start(): Promise<void>; drop(): void };

export class FairQueue {
  readonly #deps: FairQueueDeps;
  readonly #preferred = new Groups();
  readonly #others = new Groups();
  #running = 0;
  #preferredInRow = 0;

  constructor(deps: FairQueueDeps) {
    this.#deps = deps;
  }

  /** Number of waiting jobs. */
  get waiting(): number {
    return this.#preferred.size + this.#others.size;
  }

  /**
   * Runs `work` and settles as it does. When the queue is full, the group with the most waiting jobs, preferred or not,
   * loses its newest one. If that is this job, rejects without starting `work`.
   */
  run<T>(work: () => Promise<T>, { group, isPreferred }: Turn): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const start = () => work().then(resolve, reject);
      const groups = isPreferred ? this.#preferred : this.#others;
      groups.add(group, { start, drop: () => reject(this.#deps.createFullError()) });
      this.#startNext();
      if (this.waiting > this.#deps.capacity) this.#dropOne();
    });
  }

  #startNext(): void {
    while (this.#running < this.#deps.concurrency) {
      const job = this.#takeNext();
      if (!job) return;
      this.#running += 1;
      void job.start().finally(() => {
        this.#running -= 1;
        this.#startNext();
      });
    }
  }

  #takeNext(): Job | undefined {
    const isTurnOfOthers = this.#preferred.size === 0 || this.#preferredInRow >= maxPreferredInRow;
    if (isTurnOfOthers && this.#others.size > 0) {
      this.#preferredInRow = 0;
      return this.#others.takeNext();
    }
    const job = this.#preferred.takeNext();
    if (job) this.#preferredInRow += 1;
    return job;
  }

  #dropOne(): void {
    const [preferred, others] = [this.#preferred, this.#others];
    // If the largest groups are of equal size, the kind with more jobs loses one, so that a flood of either kind drops
    // its own jobs.
    const difference = preferred.largestGroupSize - others.largestGroupSize || preferred.size - others.size;
    (difference > 0 ? preferred : others).takeNewestOfLargest()?.drop();
  }
}

/** Waiting jobs by group; the first group is served next. */
class Groups {
  readonly #jobs = new Map<string, Job[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get largestGroupSize(): number {
    return Math.max(0, ...[...this.#jobs.values()].map((jobs) => jobs.length));
  }

  add(group: string, job: Job): void {
    const jobs = this.#jobs.get(group);
    if (jobs) jobs.push(job);
    else this.#jobs.set(group, [job]);
    this.#size += 1;
  }

  /** Removes and returns the oldest job of the next group, which then moves to the end. */
  takeNext(): Job | undefined {
    const [entry] = this.#jobs;
    if (!entry) return undefined;
    const [group, jobs] = entry;
    const job = jobs.shift();
    this.#jobs.delete(group);
    if (jobs.length > 0) this.#jobs.set(group, jobs);
    this.#size -= 1;
    return job;
  }

  takeNewestOfLargest(): Job | undefined {
    let largest: readonly [string, Job[]] | undefined;
    // Of equally large groups, this takes the last one, whose turn would come last.
    for (const entry of this.#jobs) if (!largest || entry[1].length >= largest[1].length) largest = entry;
    if (!largest) return undefined;
    const [group, jobs] = largest;
    const job = jobs.pop();
    if (jobs.length === 0) this.#jobs.delete(group);
    this.#size -= 1;
    return job;
  }
}
