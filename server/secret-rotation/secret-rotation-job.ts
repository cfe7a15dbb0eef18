/** Lets the secrets file forget earlier keys once nothing needs them, and completes a rotation that was interrupted. */
import type { FastifyBaseLogger } from 'fastify';
import { byServer } from '../audit/audit-event.ts';
import type { SecretRotationService } from './secret-rotation.service.ts';

export type SecretRotationJobDeps = {
  readonly secretRotation: Pick<SecretRotationService, 'finish'>;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
};

const intervalMs = 10 * 60 * 1000;

export class SecretRotationJob {
  readonly #deps: SecretRotationJobDeps;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(deps: SecretRotationJobDeps) {
    this.#deps = deps;
  }

  /** Looks now and then every ten minutes, until it is stopped. Nothing is read from the database if nothing is left. */
  readonly start = (): void => {
    const run = () => {
      this.#running ??= this.#finishLogged().finally(() => {
        this.#running = undefined;
      });
    };
    this.#timer = setInterval(run, intervalMs).unref();
    run();
  };

  /** Resolves when the work in progress is finished. */
  readonly stop = async (): Promise<void> => {
    clearInterval(this.#timer);
    await this.#running;
  };

  async #finishLogged(): Promise<void> {
    const { secretRotation, logger } = this.#deps;
    try {
      if (await secretRotation.finish(byServer)) logger.info('the secrets file has forgotten earlier keys');
    } catch (error) {
      logger.warn({ err: error }, 'the rotation of the secrets could not be completed; trying again in ten minutes');
    }
  }
}
