/** Seals the audit log every second, and once more when the server stops. */
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import { Deadline, runWithDeadline, withinDeadline } from '../deadline.ts';
import { PeriodicTask } from '../periodic-task.ts';
import type { Scheduler } from '../scheduler.ts';
import { AuditLogTruncated, type AuditSealingService } from './audit-sealing.service.ts';

type SealingJobDeps = {
  readonly auditSealing: Pick<AuditSealingService, 'run' | 'head' | 'isStored'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly scheduler: Scheduler;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly intervalMs?: number;
};

const defaultIntervalMs = 1000;
/** A stopping server does not wait longer for an unavailable database. */
const lastRunMs = 1500;
/** How often the newest seal, or an end that was cut off and not accepted, is logged. */
const logIntervalMs = 60 * 60 * 1000;

export class SealingJob {
  readonly #deps: SealingJobDeps;
  /** Runs every second, or at the given interval. Must be stopped once nothing else writes. */
  readonly task: PeriodicTask;
  #headLoggedAtMs = Number.NEGATIVE_INFINITY;
  #truncationLoggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SealingJobDeps) {
    this.#deps = deps;
    const { logger, intervalMs = defaultIntervalMs } = deps;
    this.task = new PeriodicTask({
      scheduler: deps.scheduler,
      intervalMs,
      run: () => this.#seal(),
      onFailure: (err) => {
        if (err instanceof AuditLogTruncated) return;
        logger.warn({ err }, 'the audit log could not be sealed; trying again every second');
      },
      onRecovery: () => logger.info('the audit log is sealed again'),
      onStop: (ended) => this.#sealLast(ended),
    });
  }

  async #sealLast(ended: Promise<void>): Promise<void> {
    await ended;
    try {
      await runWithDeadline(new Deadline(lastRunMs), () => withinDeadline(this.#deps.auditSealing.run()));
    } catch (error) {
      if (error instanceof AuditLogTruncated) return;
      this.#deps.logger.warn({ err: error }, 'the newest entries of the audit log are sealed at the next start');
    }
  }

  async #seal(): Promise<void> {
    try {
      await this.#deps.auditSealing.run();
    } catch (error) {
      if (error instanceof AuditLogTruncated) this.#logTruncation(error);
      throw error;
    }
    this.#truncationLoggedAtMs = Number.NEGATIVE_INFINITY;
    this.#logHead();
  }

  /** Logs the newest seal, so that logs collected elsewhere remember it too. */
  #logHead(): void {
    const { auditSealing, clock, logger } = this.#deps;
    if (!auditSealing.head || clock.monotonic() - this.#headLoggedAtMs < logIntervalMs) return;
    this.#headLoggedAtMs = clock.monotonic();
    const { seal_id, hash, epoch } = auditSealing.head;
    logger.info({ seal: seal_id, hash, epoch }, 'the newest seal of the audit log');
    if (auditSealing.isStored) return;
    logger.warn(
      'the newest seal of the audit log can be stored neither beside the secrets file nor in LATCHKEY_DATA: check whether their disk is full or read-only',
    );
  }

  #logTruncation({ message }: AuditLogTruncated): void {
    const nowMs = this.#deps.clock.monotonic();
    if (nowMs - this.#truncationLoggedAtMs < logIntervalMs) return;
    this.#truncationLoggedAtMs = nowMs;
    this.#deps.logger.error(message);
  }
}
