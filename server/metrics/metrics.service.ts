/**
 * Reads the metrics of this process. Requests and commits are counted continuously; everything else is read on demand.
 */
import {
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from '@prometheus-io/client';
import type { PasswordHasher } from '../accounts/password-hasher.ts';
import type { AuditSealingService } from '../audit/audit-sealing.service.ts';
import { readBackupState } from '../backup/last-proven.ts';
import type { CommonDeps } from '../common-deps.ts';
import { readDatabaseBytes } from '../database/database-info.ts';
import type { Probe } from '../database/probe.ts';
import { readVersion } from '../own-package.ts';
import { fileBelongsTo } from '../secrets/secrets.ts';
import { countDevicesSince, findUnsent, type Unsent } from './metrics.repository.ts';

/** The metrics of a process, in the form in which `Registry.aggregate` adds up those of several. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** If several processes serve the same port, one of them gets the metrics of all over this channel. */
export type MetricsChannel = {
  /** Sets the function that reads the metrics of this process. */
  provide(readOwn: () => Promise<ProcessMetrics>): void;
  /** Returns the metrics of each process, including this one. */
  readAll(): Promise<readonly ProcessMetrics[]>;
};

type MetricsServiceDeps = CommonDeps & {
  /** Already contains the metrics of requests. */
  readonly registry: Registry;
  readonly probe: Probe;
  readonly passwordHasher: Pick<PasswordHasher, 'waiting'>;
  readonly auditSealing: Pick<AuditSealingService, 'isTruncated'>;
};

/** A device whose last heartbeat is older does not count as alive: three of the desktop app's intervals. */
const aliveMs = 15 * 60_000;
/** Counting reads indexes, so it is not done more often than this. */
const gaugeIntervalMs = 60_000;
/**
 * Left out, because they would be measured ten times a second, and percentiles of several processes cannot be added up.
 */
const leftOut = ['nodejs_eventloop_utilization_summary', 'nodejs_eventloop_utilization_histogram'];

type DatabaseState = {
  readonly devicesAlive: number;
  readonly bytes: number | undefined;
  readonly unsent: Awaited<ReturnType<typeof findUnsent>>;
  readonly provenAtMs: number | undefined;
  readonly hasSecretsFile: boolean;
};

export class MetricsService {
  readonly #deps: MetricsServiceDeps;
  #isProcessMeasured = false;
  #state: { readonly read: Promise<DatabaseState>; readonly untilMs: number } | undefined;

  constructor(deps: MetricsServiceDeps) {
    this.#deps = deps;
    deps.registry.registerMetric(deps.database.writeStatistics.commits);
    this.#addQueues();
    this.#addDatabase();
    const labels = { version: readVersion(), node_version: process.versions.node };
    this.#addGauge('latchkey_build_info', 'The version of the server, and of Node.', {
      aggregator: 'first',
      labelNames: Object.keys(labels),
      collect: (gauge) => gauge.set(labels, 1),
    });
  }

  /**
   * Reads the metrics. Those of the process itself are measured from the first call on; those of the database are
   * missing while it is unavailable.
   */
  async read(): Promise<ProcessMetrics> {
    const { registry } = this.#deps;
    if (!this.#isProcessMeasured) this.#measureProcess(registry);
    this.#isProcessMeasured = true;
    return registry.getMetricsAsJSON();
  }

  #measureProcess(register: Registry): void {
    // The timer of the metrics left out starts anyway, so it gets the longest interval that Node supports.
    collectDefaultMetrics({ register, eventLoopUtilizationTimeout: 2 ** 31 - 1 });
    for (const name of leftOut) register.removeSingleMetric(name);
  }

  #addQueues(): void {
    const { database, passwordHasher } = this.#deps;
    this.#addGauge('latchkey_queue_waiting', 'What waits for its turn, by queue.', {
      aggregator: 'sum',
      labelNames: ['queue'],
      collect: (gauge) => {
        gauge.set({ queue: 'writes' }, database.writeStatistics.waiting);
        gauge.set({ queue: 'password_hashes' }, passwordHasher.waiting);
      },
    });
  }

  #addDatabase(): void {
    const { probe } = this.#deps;
    this.#addGauge('latchkey_database_up', 'Whether the database can be read and written, 1 or 0.', {
      aggregator: 'min',
      collect: async (gauge) =>
        gauge.set(
          await probe().then(
            () => 1,
            () => 0,
          ),
        ),
    });
    this.#addDatabaseGauge(
      'latchkey_devices_alive',
      'Devices that sent a heartbeat in the last 15 minutes, counted at most once a minute.',
      (state) => state.devicesAlive,
    );
    this.#addDatabaseGauge('latchkey_database_size_bytes', 'The size of the database.', (state) => state.bytes);
    this.#addDatabaseGauge(
      'latchkey_backup_proven_timestamp_seconds',
      'When a backup on the schedule was last restored and compared; missing if none ever was.',
      (state) => state.provenAtMs && state.provenAtMs / 1000,
    );
    this.#addDatabaseGauge(
      'latchkey_secrets_file_valid',
      'Whether the secrets file is the one of the database, so that the server can start again, 1 or 0.',
      (state) => (state.hasSecretsFile ? 1 : 0),
    );
    this.#addQueueGauge(
      'latchkey_unsent',
      'What is stored to be sent, by queue: mails, and events for webhook endpoints. Counted at most once a minute.',
      ({ count }) => count,
    );
    this.#addQueueGauge(
      'latchkey_unsent_oldest_timestamp_seconds',
      'When the oldest of it was stored, by queue; missing if there is nothing to send.',
      ({ sinceMs }) => sinceMs && sinceMs / 1000,
    );
    this.#addGauge(
      'latchkey_audit_log_intact',
      'Whether the end of the audit log is the one that this server remembers, 1 or 0.',
      { aggregator: 'min', collect: (gauge) => gauge.set(this.#deps.auditSealing.isTruncated ? 0 : 1) },
    );
  }

  /** Adds a gauge that is missing while the database cannot be read, or if there is no value. */
  #addDatabaseGauge(name: string, help: string, pick: (state: DatabaseState) => number | undefined): void {
    this.#addGauge(name, help, {
      collect: async (gauge) => {
        const state = await this.#readState();
        const value = state && pick(state);
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      },
    });
  }

  /** Adds a gauge with a value for each queue of what is to be sent, unless the value is null. */
  #addQueueGauge(name: string, help: string, pick: (unsent: Unsent) => number | null): void {
    this.#addGauge(name, help, {
      labelNames: ['queue'],
      collect: async (gauge) => {
        gauge.reset();
        const state = await this.#readState();
        for (const [queue, unsent] of Object.entries(state?.unsent ?? {})) {
          const value = pick(unsent);
          if (value !== null) gauge.set({ queue }, value);
        }
      },
    });
  }

  #addGauge(name: string, help: string, { aggregator = 'first', labelNames = [], collect }: GaugeOptions): void {
    const gauge: Gauge<string> = new Gauge({
      name,
      help,
      aggregator,
      labelNames,
      collect: () => collect(gauge),
      registers: [this.#deps.registry],
    });
  }

  /** Returns `undefined` while the database cannot be read. */
  async #readState(): Promise<DatabaseState | undefined> {
    const nowMs = this.#deps.clock.monotonic();
    if (!this.#state || nowMs >= this.#state.untilMs) {
      this.#state = { read: this.#queryState(), untilMs: nowMs + gaugeIntervalMs };
    }
    const { read } = this.#state;
    try {
      return await read;
    } catch {
      if (this.#state?.read === read) this.#state = undefined;
      return undefined;
    }
  }

  async #queryState(): Promise<DatabaseState> {
    const { database, config, clock } = this.#deps;
    const [devicesAlive, bytes, unsent, { provenAtMs }, hasSecretsFile] = await Promise.all([
      countDevicesSince(database.read, clock.now() - aliveMs),
      readDatabaseBytes(database.read, config.databaseFile),
      findUnsent(database.read),
      readBackupState(database.read),
      fileBelongsTo(database.read, config.secretsFile),
    ]);
    return { devicesAlive, bytes, unsent, provenAtMs, hasSecretsFile };
  }
}

type GaugeOptions = {
  /**
   * How the values of several processes are combined; by default `first`, for values that are the same in each of them.
   */
  readonly aggregator?: 'sum' | 'first' | 'min';
  readonly labelNames?: string[];
  readonly collect: (gauge: Gauge<string>) => void | Promise<void>;
};
