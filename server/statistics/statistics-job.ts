/** Counts for the overview every five minutes, in one process at a time, pausing to let other work run. */
import type { FastifyBaseLogger } from 'fastify';
import type { CommonDeps } from '../common-deps.ts';
import { readMeta, saveMeta } from '../database/meta.ts';
import { lockByName } from '../database/row-locks.ts';
import { PeriodicTask } from '../periodic-task.ts';
import type { StatisticsService } from './statistics.service.ts';

type StatisticsJobDeps = Pick<CommonDeps, 'database' | 'clock' | 'scheduler'> & {
  readonly statistics: StatisticsService;
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
};

const intervalMs = 5 * 60_000;
/** Delay of the first run in ms, because the server has other work to do at startup. */
const firstRunMs = 10_000;
const pauseMs = 10;
const claimName = 'statistics_counted_at';

export class StatisticsJob {
  readonly #deps: StatisticsJobDeps;
  /** Runs soon after the start, then every five minutes. */
  readonly task: PeriodicTask;

  constructor(deps: StatisticsJobDeps) {
    this.#deps = deps;
    this.task = new PeriodicTask({
      scheduler: deps.scheduler,
      intervalMs,
      firstRunMs,
      run: () => this.run(),
      onFailure: (err) => deps.logger.warn({ err }, 'the overview could not be counted; trying again later'),
    });
  }

  /** Counts; does nothing if another process has counted recently. */
  async run(): Promise<void> {
    if (!(await this.#claim())) return;
    const pause = () => this.task.pause(pauseMs);
    await this.#deps.statistics.countEvents(pause);
    if (!this.task.isStopped) await this.#deps.statistics.countTables(pause);
  }

  #claim(): Promise<boolean> {
    const { database, clock } = this.#deps;
    return database.write(async (transaction) => {
      await lockByName(transaction, 'statistics');
      const nowMs = clock.now();
      const lastMs = Number((await readMeta(transaction, claimName)) ?? Number.NEGATIVE_INFINITY);
      if (Math.abs(nowMs - lastMs) < intervalMs / 2) return false;
      await saveMeta(transaction, claimName, String(nowMs));
      return true;
    });
  }
}
