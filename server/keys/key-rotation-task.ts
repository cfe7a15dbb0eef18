/** Replaces the keys that sign once they have reached the age that the setting allows. */
import type { FastifyBaseLogger } from 'fastify';
import { byServer } from '../audit/audit-event.ts';
import { PeriodicTask } from '../periodic-task.ts';
import type { Scheduler } from '../scheduler.ts';
import type { KeyRotationService } from './key-rotation.service.ts';

export type KeyRotationTaskDeps = {
  readonly keyRotation: Pick<KeyRotationService, 'rotateOlderThan'>;
  readonly scheduler: Scheduler;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
};

const [minIntervalMs, maxIntervalMs] = [1000, 60 * 60 * 1000];

/** Looks now and then every hour, or more often where keys live for a few hours only. `everyMs`: how old a key may become. */
export function createKeyRotationTask(
  everyMs: number,
  { keyRotation, scheduler, logger }: KeyRotationTaskDeps,
): PeriodicTask {
  return new PeriodicTask({
    scheduler,
    intervalMs: Math.min(Math.max(everyMs / 10, minIntervalMs), maxIntervalMs),
    firstRunMs: 0,
    run: async () => {
      const created = await keyRotation.rotateOlderThan(everyMs, byServer);
      for (const { purpose, kid } of created) logger.info({ purpose, kid }, 'a key was replaced by a new one');
    },
    onFailure: (err) => logger.warn({ err }, 'the keys could not be replaced; trying again later'),
  });
}
