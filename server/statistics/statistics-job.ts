/** Counts for the overview every five minutes, by one process at a time, with pauses for everything else. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { readMeta, saveMeta } from '../database/meta.ts';
import { lockByName } from '../database/row-locks.ts';
import type { StatisticsService } from './statistics.service.ts';

export type StatisticsJobDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly statistics: StatisticsService;
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
};

const intervalMs = 5 * 60_000;
/** The start of the server has other work to do. */
const firstRunMs = 10_000;
const pauseMs = 10;
const claimName = 'statistics_counted_at';

export class StatisticsJob {
  readonly #deps: StatisticsJobDeps;
  #timers: NodeJS.Timeout[] = [];
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(deps: StatisticsJobDeps) {
    this.#deps = deps;
  }

  /** Runs soon and then every five minutes, until it is stopped. */
  readonly start = (): void => {
    const run = () => this.#runLogged();
    this.#timers = [setTimeout(run, firstRunMs).unref(), setInterval(run, intervalMs).unref()];
  };

  /** Resolves when the part in progress is finished. */
  readonly stop = async (): Promise<void> => {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#running;
  };

  /** Does nothing where another process has counted lately. */
  async run(): Promise<void> {
    if (!(await this.#claim())) return;
    const pause = async () => {
      await sleep(pauseMs);
      return !this.#isStopped;
    };
    await this.#deps.statistics.countEvents(pause);
    if (!this.#isStopped) await this.#deps.statistics.countTables(pause);
  }

  #runLogged(): void {
    this.#running ??= this.run()
      .catch((error: unknown) =>
        this.#deps.logger.warn({ err: error }, 'the overview could not be counted; trying again later'),
      )
      .finally(() => {
        this.#running = undefined;
      });
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
