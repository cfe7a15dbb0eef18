/** Replaces the keys that sign once they have reached the age that the setting allows. */
import type { FastifyBaseLogger } from 'fastify';
import { byServer } from '../audit/audit-event.ts';
import type { KeyRotationService } from './key-rotation.service.ts';

export type KeyRotationJobDeps = {
  readonly keyRotation: Pick<KeyRotationService, 'rotateOlderThan'>;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  /** How old a key may become; `undefined` for any age. */
  readonly everyMs: number | undefined;
};

const [minIntervalMs, maxIntervalMs] = [1000, 60 * 60 * 1000];

export class KeyRotationJob {
  readonly #deps: KeyRotationJobDeps;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(deps: KeyRotationJobDeps) {
    this.#deps = deps;
  }

  /** Looks now and then every hour, or more often where keys live for a few hours only, until it is stopped. */
  readonly start = (): void => {
    const { everyMs } = this.#deps;
    if (everyMs === undefined) return;
    const intervalMs = Math.min(Math.max(everyMs / 10, minIntervalMs), maxIntervalMs);
    const run = () => {
      this.#running ??= this.#rotateLogged(everyMs).finally(() => {
        this.#running = undefined;
      });
    };
    this.#timer = setInterval(run, intervalMs).unref();
    run();
  };

  /** Resolves when the write in progress is finished. */
  readonly stop = async (): Promise<void> => {
    clearInterval(this.#timer);
    await this.#running;
  };

  async #rotateLogged(everyMs: number): Promise<void> {
    const { keyRotation, logger } = this.#deps;
    try {
      const created = await keyRotation.rotateOlderThan(everyMs, byServer);
      for (const { purpose, kid } of created) logger.info({ purpose, kid }, 'a key was replaced by a new one');
    } catch (error) {
      logger.warn({ err: error }, 'the keys could not be replaced; trying again later');
    }
  }
}
