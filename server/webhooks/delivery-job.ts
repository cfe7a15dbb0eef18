/** Starts due event deliveries, twice a second. */
import type { FastifyBaseLogger } from 'fastify';
import { PeriodicTask } from '../periodic-task.ts';
import type { Scheduler } from '../scheduler.ts';
import type { DeliveryService } from './delivery.service.ts';

type DeliveryJobDeps = {
  readonly deliveries: Pick<DeliveryService, 'begin' | 'dropExcess' | 'stop'>;
  readonly scheduler: Scheduler;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
};

const intervalMs = 500;
/** Number of runs between checks for queues that have grown too long. */
const dropEveryRuns = 120;

export class DeliveryJob {
  readonly #deps: DeliveryJobDeps;
  readonly #task: PeriodicTask;
  #runs = 0;
  /** The error of an attempt that outlasted its run. */
  #failure: unknown;

  constructor(deps: DeliveryJobDeps) {
    this.#deps = deps;
    this.#task = new PeriodicTask({
      scheduler: deps.scheduler,
      intervalMs,
      run: () => this.#run(),
      onFailure: (err) => deps.logger.warn({ err }, 'events could not be delivered; trying again'),
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Stops the job; resolves when running attempts are over, within 2 seconds. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await this.#deps.deliveries.stop();
  }

  async #run(): Promise<void> {
    const { deliveries, logger } = this.#deps;
    await deliveries.begin((error) => {
      this.#failure ??= error;
    });
    if (this.#runs++ % dropEveryRuns === 0) {
      const dropped = await deliveries.dropExcess();
      if (dropped > 0) logger.warn({ dropped }, 'more events were waiting for an endpoint than are stored');
    }
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }
}
