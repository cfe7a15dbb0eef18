/**
 * The service's own limiter, heartbeats and refreshes on a SQLite database without HTTP, and the requests of devices.
 */
import { randomUUID } from 'node:crypto';
import { isRecordDue } from '../../../server/activations/activation.rules.ts';
import type { Database } from '../../../server/database/database.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { MemoryRateCounter } from '../../../server/rate-limits/memory-rate-counter.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { openSecrets } from '../../../server/secrets/secrets.ts';
import { createServices, type Services } from '../../../server/services.ts';
import type { Config } from '../../../server/settings/config.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { type FakeClock, hour, minute } from '../../harness/fake-clock.ts';
import type { SimulatedDevice } from './simulated-device.ts';
import type { Tally } from './tally.ts';

/** The default settings. */
const limits = { heartbeat: 60, license: 30, subscriptionStatus: 60, refresh: 60 };

type ServiceDeps = {
  readonly services: Services;
  readonly database: Database;
  readonly counter: MemoryRateCounter;
  readonly clock: FakeClock;
  readonly tally: Tally;
};

export type SimulationInput = {
  readonly config: Config;
  readonly clock: FakeClock;
  readonly tally: Tally;
  /** Number of clients that the limiter remembers. */
  readonly limiterCapacity: number;
};

export class SimulatedService {
  readonly #deps: ServiceDeps;

  private constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  static async open({ config, clock, tally, limiterCapacity }: SimulationInput): Promise<SimulatedService> {
    const database = await openSqlite(config.databaseFile, clock);
    const secrets = await openSecrets(config.secretsFile, database, systemRandom);
    const counted: Database = {
      isNew: database.isNew,
      read: database.read,
      cacheInvalidation: database.cacheInvalidation,
      writeStatistics: database.writeStatistics,
      close: () => database.close(),
      write(work) {
        tally.writes += 1;
        return database.write(work);
      },
    };
    const services = createServices({
      config,
      database: counted,
      secrets,
      clock,
      random: systemRandom,
      scheduler: systemScheduler,
    });
    const counter = new MemoryRateCounter({ clock, capacity: limiterCapacity });
    return new SimulatedService({ services, database, counter, clock, tally });
  }

  /** Sends the requests of a sync of the desktop app. */
  async sync(device: SimulatedDevice, at: number): Promise<void> {
    const { services, clock } = this.#deps;
    if (clock.now() >= device.tokenUntilMs - minute) await this.#refresh(device, at);
    await this.#heartbeat(device, at);
    await this.#isAllowed('license', device, at);
    if (await this.#isAllowed('subscriptionStatus', device, at)) await services.entitlements.status(device.userId);
  }

  close(): Promise<void> {
    return this.#deps.database.close();
  }

  async #refresh(device: SimulatedDevice, at: number): Promise<void> {
    const { services, clock, tally } = this.#deps;
    if (!(await this.#isAllowed('refresh', device, at))) return;
    const context = { idempotencyKey: randomUUID(), address: device.address };
    const { refresh_token } = await services.auth.refresh(device.refreshToken, context);
    device.refreshToken = refresh_token;
    device.tokenUntilMs = clock.now() + hour;
    tally.count('refreshes', at);
    tally.count('rows', at);
  }

  async #heartbeat(device: SimulatedDevice, at: number): Promise<void> {
    const { services, clock, tally } = this.#deps;
    if (!(await this.#isAllowed('heartbeat', device, at))) return;
    tally.count('heartbeats', at);
    if (isRecordDue(device.recordedAtMs, clock.now())) {
      device.recordedAtMs = clock.now();
      tally.count('rows', at);
    }
    const { userId, deviceId, address } = device;
    const { warning } = await services.heartbeats.record({ userId, deviceId, instance: '', address });
    if (warning !== undefined) tally.warnings += 1;
  }

  async #isAllowed(bucket: keyof typeof limits, device: SimulatedDevice, at: number): Promise<boolean> {
    const { counter, tally } = this.#deps;
    tally.count('requests', at);
    const { allowed } = await counter.take(`${bucket} user ${device.userId}`, limits[bucket]);
    if (!allowed) tally.refused[device.isBroken ? 'broken' : 'honest'] += 1;
    return allowed;
  }
}
