/** Looks for events to deliver, twice a second. */
import type { FastifyBaseLogger } from 'fastify';
import type { DeliveryService } from './delivery.service.ts';

export type DeliveryJobDeps = {
  readonly deliveries: DeliveryService;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
};

const intervalMs = 500;
/** How often queues that have grown too long are cut, in runs. */
const dropEveryRuns = 120;

export class DeliveryJob {
  readonly #deps: DeliveryJobDeps;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #runs = 0;
  #isFailing = false;

  constructor(deps: DeliveryJobDeps) {
    this.#deps = deps;
  }

  readonly start = (): void => {
    this.#timer = setInterval(() => this.#run(), intervalMs).unref();
  };

  /** Resolves when the attempts that have begun are over, which takes 2 seconds at most. */
  readonly stop = async (): Promise<void> => {
    clearInterval(this.#timer);
    await this.#running;
    await this.#deps.deliveries.stop();
  };

  #run(): void {
    this.#running ??= this.#runLogged().finally(() => {
      this.#running = undefined;
    });
  }

  /** A database that is away is logged once. */
  async #runLogged(): Promise<void> {
    const { deliveries, logger } = this.#deps;
    try {
      await deliveries.begin(this.#warn);
      if (this.#runs++ % dropEveryRuns === 0) {
        const dropped = await deliveries.dropExcess();
        if (dropped > 0) logger.warn({ dropped }, 'more events were waiting for an endpoint than are stored');
      }
      this.#isFailing = false;
    } catch (error) {
      this.#warn(error);
    }
  }

  readonly #warn = (error: unknown): void => {
    if (!this.#isFailing) this.#deps.logger.warn({ err: error }, 'events could not be delivered; trying again');
    this.#isFailing = true;
  };
}
