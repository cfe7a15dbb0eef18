/** Gives notice of ends that come and have come, every five seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { PeriodicTask } from '../periodic-task.ts';
import type { ReminderService } from './reminder.service.ts';

export type ReminderTaskDeps = {
  readonly reminders: Pick<ReminderService, 'run'>;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
};

/** Notice is promised within 10 seconds. */
const intervalMs = 5000;
/** Lets other writes go first. */
const pauseMs = 20;

export function createReminderTask({ reminders, logger }: ReminderTaskDeps): PeriodicTask {
  const pause = async () => {
    await sleep(pauseMs);
    return !task.isStopped;
  };
  const task = new PeriodicTask({
    intervalMs,
    firstRunMs: 1000,
    run: () => reminders.run(pause),
    onFailure: (err) => logger.warn({ err }, 'reminders and expired licenses wait; trying again every five seconds'),
    onRecovery: () => logger.info('reminders are given again'),
  });
  return task;
}
