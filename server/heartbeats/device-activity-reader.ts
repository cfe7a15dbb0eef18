/** Reads the recent activity of devices. On PostgreSQL, heartbeats that arrive together share one query. */
import { createBatchLoader } from '../batch-loader.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { isPostgres } from '../database/dialect.ts';
import { type ActiveDevice, findRecentActivity } from './device-activity.repository.ts';
import type { RecentActivity } from './heartbeat.rules.ts';

type DeviceActivityReaderDeps = { readonly database: Database; readonly clock: Clock };

/** While one query is running, the next one is collected and sent. */
const batchLimits = { maxBatchSize: 200, maxRunning: 2, maxWaiting: 5_000 };

export class DeviceActivityReader {
  readonly #deps: DeviceActivityReaderDeps;
  readonly #readBatched = createBatchLoader<ActiveDevice, RecentActivity>({
    run: (devices) => this.#readAll(devices),
    ...batchLimits,
  });

  constructor(deps: DeviceActivityReaderDeps) {
    this.#deps = deps;
  }

  /**
   * Returns what was recorded earlier for the device and its user. Throws `DatabaseUnavailable` and `DeadlineExceeded`.
   */
  async read(device: ActiveDevice): Promise<RecentActivity> {
    if (isPostgres(this.#deps.database.read)) return await this.#readBatched(device);
    // SQLite answers synchronously, so nothing is gained by collecting queries.
    const [activity] = await this.#readAll([device]);
    if (!activity) throw new TypeError('a query without conditions returns a row');
    return activity;
  }

  #readAll(devices: readonly ActiveDevice[]): Promise<RecentActivity[]> {
    const { database, clock } = this.#deps;
    return findRecentActivity(database.read, devices, clock.now());
  }
}
