/** Applies the dead letters that the writes which made them applicable have left, every five seconds. */
import type { FastifyBaseLogger } from 'fastify';
import { PeriodicTask } from '../periodic-task.ts';
import type { Scheduler } from '../scheduler.ts';
import type { BillingService } from './billing.service.ts';

export type DeadLetterTaskDeps = {
  readonly billing: Pick<BillingService, 'applyDeadLetters'>;
  readonly scheduler: Scheduler;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
};

/** Lets other writes go first. */
const pauseMs = 20;

/** The first run also applies what a process has left that ended. */
export function createDeadLetterTask({ billing, scheduler, logger }: DeadLetterTaskDeps): PeriodicTask {
  const pause = async () => {
    await scheduler.sleep(pauseMs);
    return !task.isStopped;
  };
  const task = new PeriodicTask({
    scheduler,
    intervalMs: 5000,
    firstRunMs: 1000,
    run: () => billing.applyDeadLetters(pause),
    onFailure: (err) => logger.warn({ err }, 'dead letters of billing wait; trying again every five seconds'),
    onRecovery: () => logger.info('dead letters of billing are applied again'),
  });
  return task;
}
