/** Deletes history past its retention: every hour, in small writes, by one process at a time. */
import type { FastifyBaseLogger } from 'fastify';
import type { AuditRetentionService } from '../audit/audit-retention.service.ts';
import { toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import { lockByName } from '../database/row-locks.ts';
import { PeriodicTask } from '../periodic-task.ts';
import { deleteEndedBefore, hasUsers, readLastRun, saveRun } from './retention.repository.ts';
import { decideRun, type RetainedKind, retainedKinds, retentionIntervalMs, retentionOf } from './retention.rules.ts';

type RetentionJobDeps = Pick<CommonDeps, 'database' | 'clock' | 'scheduler'> & {
  readonly auditRetention: AuditRetentionService;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  /** How long history is kept. */
  readonly historyMs: number;
};

/** Number of rows deleted by a run, by kind; kinds without any are left out. */
type Deleted = Partial<Record<RetainedKind | 'audit_events', number>>;

/** Rows per write; a write of this size takes a few milliseconds. */
const batchSize = 200;
/** Lets other writes go first. */
const pauseMs = 20;

export class RetentionJob {
  readonly #deps: RetentionJobDeps;
  /** Runs at once and then every hour. */
  readonly task: PeriodicTask;

  constructor(deps: RetentionJobDeps) {
    this.#deps = deps;
    this.task = new PeriodicTask({
      scheduler: deps.scheduler,
      intervalMs: retentionIntervalMs,
      firstRunMs: 0,
      run: () => this.run(),
      onFailure: (err) => deps.logger.warn({ err }, 'history could not be deleted; trying again every hour'),
    });
  }

  async run(): Promise<Deleted> {
    const { historyMs, auditRetention } = this.#deps;
    const retentionTimeMs = await this.#claim();
    const deleted: Deleted = {};
    if (retentionTimeMs === undefined) return deleted;
    for (const kind of retainedKinds) {
      const count = await this.#deleteKind(kind, retentionTimeMs - retentionOf(kind, historyMs));
      if (count > 0) deleted[kind] = count;
    }
    const auditBeforeMs = retentionTimeMs - retentionOf('audit_events', historyMs);
    const entries = await auditRetention.cutBefore(auditBeforeMs, () => this.task.isStopped);
    if (entries > 0) deleted.audit_events = entries;
    if (Object.keys(deleted).length > 0) this.#deps.logger.info({ deleted }, 'deleted history past its retention');
    return deleted;
  }

  /** Returns the time by which this run measures ages; `undefined` if another process has run recently. */
  #claim(): Promise<number | undefined> {
    const { database, clock, logger } = this.#deps;
    return database.write(async (transaction) => {
      await lockByName(transaction, 'retention');
      const last = await readLastRun(transaction);
      const nowMs = clock.now();
      if (last && Math.abs(nowMs - last.atMs) < retentionIntervalMs / 2) return undefined;
      const run = decideRun(nowMs, last, await hasUsers(transaction));
      await saveRun(transaction, run);
      if (last && run.steadySinceMs === nowMs) {
        const lastRun = toIso(last.atMs);
        logger.warn(
          { lastRun },
          'history is deleted late: the server was off, or its clock jumped; check that it is right',
        );
      }
      return run.retentionTimeMs;
    });
  }

  async #deleteKind(kind: RetainedKind, beforeMs: number): Promise<number> {
    let total = 0;
    while (!this.task.isStopped) {
      const deleted = await this.#deps.database.write((transaction) =>
        deleteEndedBefore(transaction, { kind, beforeMs, limit: batchSize }),
      );
      total += deleted;
      if (deleted < batchSize) break;
      await this.#deps.scheduler.sleep(pauseMs);
    }
    return total;
  }
}
