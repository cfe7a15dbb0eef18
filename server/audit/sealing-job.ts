/** Seals the audit log every second, and once more when the server stops. */
import type { FastifyBaseLogger } from 'fastify';
import { RequestBudget, runWithBudget, withinBudget } from '../request-budget.ts';
import type { AuditSealing } from './audit-sealing.service.ts';

export type SealingJobDeps = {
  readonly auditSealing: Pick<AuditSealing, 'run'>;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  readonly intervalMs?: number;
};

const defaultIntervalMs = 1000;
/** A server that stops does not wait longer for a database that is away. */
const lastRunMs = 1500;

export class SealingJob {
  readonly #deps: SealingJobDeps;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isFailing = false;

  constructor(deps: SealingJobDeps) {
    this.#deps = deps;
  }

  /** Runs every second, or at the given interval, until it is stopped. */
  readonly start = (): void => {
    this.#timer = setInterval(() => this.#run(), this.#deps.intervalMs ?? defaultIntervalMs).unref();
  };

  /** Seals once more. To be called when nothing else writes any more. */
  readonly stop = async (): Promise<void> => {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    await this.#running;
    try {
      await runWithBudget(new RequestBudget(lastRunMs), () => withinBudget(this.#deps.auditSealing.run()));
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'the newest entries of the audit log are sealed at the next start');
    }
  };

  #run(): void {
    this.#running ??= this.#sealLogged().finally(() => {
      this.#running = undefined;
    });
  }

  /** A database that is away is logged once, not every second. */
  async #sealLogged(): Promise<void> {
    const { auditSealing, logger } = this.#deps;
    try {
      await auditSealing.run();
      if (this.#isFailing) logger.info('the audit log is sealed again');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) logger.warn({ err: error }, 'the audit log could not be sealed; trying again every second');
      this.#isFailing = true;
    }
  }
}
