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

/** Creates the job. `stop` resolves when running attempts are over, within 2 seconds. */
export function createDeliveryJob({ deliveries, scheduler, logger }: DeliveryJobDeps): PeriodicTask {
  let runs = 0;
  /** The error of an attempt that outlasted its run. */
  let failure: unknown;
  return new PeriodicTask({
    scheduler,
    intervalMs,
    run: async () => {
      await deliveries.begin((error) => {
        failure ??= error;
      });
      if (runs++ % dropEveryRuns === 0) {
        const dropped = await deliveries.dropExcess();
        if (dropped > 0) logger.warn({ dropped }, 'more events were waiting for an endpoint than are stored');
      }
      const error = failure;
      failure = undefined;
      if (error !== undefined) throw error;
    },
    onFailure: (err) => logger.warn({ err }, 'events could not be delivered; trying again'),
    onStop: async (ended) => {
      await ended;
      await deliveries.stop();
    },
  });
}
