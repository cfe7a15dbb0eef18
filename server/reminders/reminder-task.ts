/** Gives notice of ends that come and have come, every five seconds. */
import type { FastifyBaseLogger } from 'fastify';
import { PeriodicTask } from '../periodic-task.ts';
import type { Scheduler } from '../scheduler.ts';
import type { ReminderService } from './reminder.service.ts';

export type ReminderTaskDeps = {
  readonly reminders: Pick<ReminderService, 'run'>;
  readonly scheduler: Scheduler;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
};

/** Notice is promised within 10 seconds. */
const intervalMs = 5000;
/** Lets other writes go first. */
const pauseMs = 20;

export function createReminderTask({ reminders, scheduler, logger }: ReminderTaskDeps): PeriodicTask {
  const pause = async () => {
    await scheduler.sleep(pauseMs);
    return !task.isStopped;
  };
  const task = new PeriodicTask({
    scheduler,
    intervalMs,
    firstRunMs: 1000,
    run: () => reminders.run(pause),
    onFailure: (err) => logger.warn({ err }, 'reminders and expired licenses wait; trying again every five seconds'),
    onRecovery: () => logger.info('reminders are given again'),
  });
  return task;
}
