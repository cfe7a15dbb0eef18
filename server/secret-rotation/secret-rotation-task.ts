/** Lets the secrets file forget earlier keys once nothing needs them, and completes a rotation that was interrupted. */
import type { FastifyBaseLogger } from 'fastify';
import { byServer } from '../audit/audit-event.ts';
import { PeriodicTask } from '../periodic-task.ts';
import type { Scheduler } from '../scheduler.ts';
import type { SecretRotationService } from './secret-rotation.service.ts';

export type SecretRotationTaskDeps = {
  readonly secretRotation: Pick<SecretRotationService, 'finish'>;
  readonly scheduler: Scheduler;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
};

/** Looks now and then every ten minutes. Nothing is read from the database if nothing is left. */
export function createSecretRotationTask({ secretRotation, scheduler, logger }: SecretRotationTaskDeps): PeriodicTask {
  return new PeriodicTask({
    scheduler,
    intervalMs: 10 * 60_000,
    firstRunMs: 0,
    run: async () => {
      if (await secretRotation.finish(byServer)) logger.info('the secrets file has forgotten earlier keys');
    },
    onFailure: (err) =>
      logger.warn({ err }, 'the rotation of the secrets could not be completed; trying again every ten minutes'),
  });
}
