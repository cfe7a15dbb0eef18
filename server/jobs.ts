/** The background jobs that run while the server listens, each at its own interval. */
import type { FastifyBaseLogger } from 'fastify';
import { byServer } from './audit/audit-event.ts';
import { type Clock, hourMs, minuteMs, secondMs } from './clock.ts';
import type { Database } from './database/database.ts';
import type { KeyRotationService } from './keys/key-rotation.service.ts';
import { PeriodicTask } from './periodic-task.ts';
import { RetentionJob } from './retention/retention-job.ts';
import type { Scheduler } from './scheduler.ts';
import type { Services } from './services.ts';
import type { Config } from './settings/config.ts';
import { countIntervalMs } from './statistics/statistics.service.ts';
import { createDeliveryJob } from './webhooks/delivery-job.ts';

/** The times of tasks that do many small writes, and how long each of these lets other writes go first. */
const ofManyWrites = { intervalMs: 5 * secondMs, firstRunMs: secondMs };
const pauseMs = 20;

type TaskDeps = { readonly scheduler: Scheduler; readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'> };

type JobDeps = TaskDeps & {
  readonly config: Pick<Config, 'retentionMs' | 'keyRotationMs'>;
  readonly database: Database;
  readonly clock: Clock;
};

export function createJobs(deps: JobDeps, services: Services): PeriodicTask[] {
  const { retentionMs: historyMs, keyRotationMs } = deps.config;
  return [
    new RetentionJob({ ...deps, ...services, historyMs }).task,
    createSecretRotationTask(deps, services),
    ...(keyRotationMs === undefined ? [] : [createKeyRotationTask(keyRotationMs, { ...deps, ...services })]),
    createDeliveryJob({ ...deps, ...services }),
    createReminderTask(deps, services),
    createDeadLetterTask(deps, services),
    createStatisticsTask(deps, services),
  ];
}

/**
 * Drops earlier keys from the secrets file, and completes an interrupted rotation. Reads nothing if there is nothing
 * left to do.
 */
function createSecretRotationTask({ scheduler, logger }: TaskDeps, { secretRotation }: Services): PeriodicTask {
  return new PeriodicTask({
    scheduler,
    intervalMs: 10 * minuteMs,
    firstRunMs: 0,
    run: async () => {
      if (await secretRotation.finish(byServer)) logger.info('the secrets file has forgotten earlier keys');
    },
    onFailure: (err) =>
      logger.warn({ err }, 'the rotation of the secrets could not be completed; trying again every ten minutes'),
  });
}

/** Checks every hour, or more often if keys live for only a few hours. `everyMs`: maximum age of a key that signs. */
export function createKeyRotationTask(
  everyMs: number,
  { keyRotation, scheduler, logger }: TaskDeps & { readonly keyRotation: Pick<KeyRotationService, 'rotateOlderThan'> },
): PeriodicTask {
  return new PeriodicTask({
    scheduler,
    intervalMs: Math.min(Math.max(everyMs / 10, secondMs), hourMs),
    firstRunMs: 0,
    run: async () => {
      const created = await keyRotation.rotateOlderThan(everyMs, byServer);
      for (const { purpose, kid } of created) logger.info({ purpose, kid }, 'a key was replaced by a new one');
    },
    onFailure: (err) => logger.warn({ err }, 'the keys could not be replaced; trying again later'),
  });
}

/** Sends notices of upcoming and past ends, which are promised within ten seconds. */
function createReminderTask({ scheduler, logger }: TaskDeps, { reminders }: Services): PeriodicTask {
  return new PeriodicTask({
    scheduler,
    ...ofManyWrites,
    run: (task) => reminders.run(() => task.pause(pauseMs)),
    onFailure: (err) => logger.warn({ err }, 'reminders and expired licenses wait; trying again every five seconds'),
    onRecovery: () => logger.info('reminders are given again'),
  });
}

/**
 * Applies the dead letters left over by the writes that made them applicable and, at the start, by a process that
 * ended.
 */
function createDeadLetterTask({ scheduler, logger }: TaskDeps, { billing }: Services): PeriodicTask {
  return new PeriodicTask({
    scheduler,
    ...ofManyWrites,
    run: (task) => billing.applyDeadLetters(() => task.pause(pauseMs)),
    onFailure: (err) => logger.warn({ err }, 'dead letters of billing wait; trying again every five seconds'),
    onRecovery: () => logger.info('dead letters of billing are applied again'),
  });
}

/** Counts for the overview. The first time not at once, because the server has other work to do at the start. */
function createStatisticsTask({ scheduler, logger }: TaskDeps, { statistics }: Services): PeriodicTask {
  return new PeriodicTask({
    scheduler,
    intervalMs: countIntervalMs,
    firstRunMs: 10 * secondMs,
    run: (task) => statistics.count(() => task.pause(10)),
    onFailure: (err) => logger.warn({ err }, 'the overview could not be counted; trying again later'),
  });
}
