/** Writes the activity of devices. What arrives while other activity is being written is collected into one write. */
import type { ActivationService } from '../activations/activation.service.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { DatabaseUnavailable, isConstraintViolation } from '../database/database-errors.ts';
import { currentBudget, type RequestBudget, runWithBudget, withinBudget } from '../request-budget.ts';
import { type ActiveDevice, recordDeviceActivity } from './device-activity.repository.ts';

export type DeviceActivityWriterDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly activations: ActivationService;
};

const maxBatchSize = 200;
/** While PostgreSQL executes or syncs one write, others can be sent. */
const maxRunning = 3;
const maxWaiting = 5_000;

type Job = {
  readonly device: ActiveDevice;
  readonly budget: RequestBudget | undefined;
  resolve(): void;
  reject(error: unknown): void;
};

export class DeviceActivityWriter {
  readonly #deps: DeviceActivityWriterDeps;
  #waiting: Job[] = [];
  #running = 0;
  #isScheduled = false;

  constructor(deps: DeviceActivityWriterDeps) {
    this.#deps = deps;
  }

  /**
   * Records that the device is in use; resolves when that is on the disk. Throws what `Database.write` throws, and a
   * constraint violation if the account was deleted.
   */
  record(device: ActiveDevice): Promise<void> {
    if (this.#waiting.length >= maxWaiting) {
      return Promise.reject(new DatabaseUnavailable(new Error('too many writes are waiting')));
    }
    const writing = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ device, budget: currentBudget(), resolve, reject });
    });
    this.#schedule();
    return withinBudget(writing);
  }

  /** The rest of this turn of the event loop may bring more for the same write. */
  #schedule(): void {
    if (this.#isScheduled || this.#running >= maxRunning) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const jobs = this.#takeBatch();
      if (jobs.length > 0) void runWithBudget(undefined, () => this.#write(jobs));
    });
  }

  #takeBatch(): readonly Job[] {
    return this.#waiting.splice(0, maxBatchSize).filter(({ budget, reject }) => {
      const problem = budget?.problem();
      if (problem) reject(problem);
      return problem === undefined;
    });
  }

  async #write(jobs: readonly Job[]): Promise<void> {
    this.#running++;
    try {
      await this.#writeTogether(jobs).catch((error: unknown) => {
        // One account that was deleted meanwhile makes the whole write fail.
        if (jobs.length > 1 && isConstraintViolation(error)) return this.#writeEach(jobs);
        for (const { reject } of jobs) reject(error);
        return undefined;
      });
    } finally {
      this.#running--;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }

  async #writeEach(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) await this.#writeTogether([job]).catch(job.reject);
  }

  async #writeTogether(jobs: readonly Job[]): Promise<void> {
    const { database, clock, activations } = this.#deps;
    const devices = sortDevices(jobs.map(({ device }) => device));
    await database.write(async (transaction) => {
      await recordDeviceActivity(transaction, devices, clock.now());
      await activations.markSeen(transaction, devices);
    });
    for (const { resolve } of jobs) resolve();
  }
}

/** Each once, and in the same order in every process, so that no two writes wait for each other. */
function sortDevices(devices: readonly ActiveDevice[]): ActiveDevice[] {
  const byKey = new Map(devices.map((device) => [`${device.device_id} ${device.user_id} ${device.network}`, device]));
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, device]) => device);
}
