/** What the server does by itself while it listens, each job at its interval. */
import type { FastifyBaseLogger } from 'fastify';
import { byServer } from './audit/audit-event.ts';
import { type Clock, hourMs, minuteMs, secondMs } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { KeyRotationService } from './keys/key-rotation.service.ts';
import { PeriodicTask } from './periodic-task.ts';
import { RetentionJob } from './retention/retention-job.ts';
import type { Scheduler } from './scheduler.ts';
import type { Services } from './services.ts';
import { StatisticsJob } from './statistics/statistics-job.ts';
import { DeliveryJob } from './webhooks/delivery-job.ts';

export type Job = { start(): void; stop(): Promise<void> };

type TaskDeps = { readonly scheduler: Scheduler; readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'> };

export type JobDeps = TaskDeps & {
  readonly config: Pick<Config, 'retentionMs' | 'keyRotationMs'>;
  readonly database: Database;
  readonly clock: Clock;
};

export function createJobs(deps: JobDeps, services: Services): Job[] {
  const { retentionMs: historyMs, keyRotationMs } = deps.config;
  return [
    new RetentionJob({ ...deps, ...services, historyMs }).task,
    createSecretRotationTask(deps, services),
    ...(keyRotationMs === undefined ? [] : [createKeyRotationTask(keyRotationMs, { ...deps, ...services })]),
    new DeliveryJob({ ...deps, ...services }),
    createReminderTask(deps, services),
    createDeadLetterTask(deps, services),
    new StatisticsJob({ ...deps, ...services }).task,
  ];
}

/** Lets the secrets file forget earlier keys, and completes a rotation that was interrupted. Reads nothing if nothing is left. */
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

/** Looks every hour, or more often where keys live for a few hours only. `everyMs`: how old a key that signs may become. */
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

/** Gives notice of ends that come and have come. Notice is promised within ten seconds. */
function createReminderTask({ scheduler, logger }: TaskDeps, { reminders }: Services): PeriodicTask {
  return createWritingTask(scheduler, {
    run: (pause) => reminders.run(pause),
    onFailure: (err) => logger.warn({ err }, 'reminders and expired licenses wait; trying again every five seconds'),
    onRecovery: () => logger.info('reminders are given again'),
  });
}

/** Applies what the writes that made it applicable have left, and, at the start, what a process has left that ended. */
function createDeadLetterTask({ scheduler, logger }: TaskDeps, { billing }: Services): PeriodicTask {
  return createWritingTask(scheduler, {
    run: (pause) => billing.applyDeadLetters(pause),
    onFailure: (err) => logger.warn({ err }, 'dead letters of billing wait; trying again every five seconds'),
    onRecovery: () => logger.info('dead letters of billing are applied again'),
  });
}

type WritingTask = {
  /** `pause` lets other writes go first. It resolves with false when the task was stopped. */
  readonly run: (pause: () => Promise<boolean>) => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
  readonly onRecovery: () => void;
};

/** Every five seconds, in many small writes. */
function createWritingTask(scheduler: Scheduler, { run, ...told }: WritingTask): PeriodicTask {
  const times = { intervalMs: 5 * secondMs, firstRunMs: secondMs };
  const task = new PeriodicTask({ scheduler, ...times, run: () => run(() => task.pause(20)), ...told });
  return task;
}
