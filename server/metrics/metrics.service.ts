/** Reads the metrics of this process. Counting goes on all the time; all else is done when somebody asks. */
import type { PasswordHasher } from '../accounts/password-hasher.ts';
import type { AuditSealing } from '../audit/audit-sealing.service.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { readDatabaseBytes } from '../database/database-info.ts';
import { readVersion } from '../version.ts';
import { counter, gauge, histogram, type Metric } from './metric.ts';
import { countDevicesSince, countUnsent, findLastProof } from './metrics.repository.ts';
import type { RequestCounts } from './request-counts.ts';

export type MetricsServiceDeps = {
  readonly database: Database;
  readonly config: Pick<Config, 'databaseFile'>;
  readonly clock: Clock;
  readonly requestCounts: RequestCounts;
  readonly passwordHasher: Pick<PasswordHasher, 'waiting'>;
  readonly auditSealing: Pick<AuditSealing, 'isCut'>;
};

/** A device that sent no heartbeat for longer is not counted as alive: three of the desktop's intervals. */
const aliveMs = 15 * 60_000;
/** Counting reads indexes, so it is not done more often. */
const gaugeIntervalMs = 60_000;

type DatabaseGauges = {
  readonly devicesAlive: number;
  readonly bytes: number | undefined;
  readonly unsent: { readonly mails: number; readonly events: number };
  readonly provenAtMs: number | undefined;
};

export class MetricsService {
  readonly #deps: MetricsServiceDeps;
  #processMetrics: (() => Promise<Metric[]>) | undefined;
  #gauges: { readonly read: Promise<DatabaseGauges>; readonly untilMs: number } | undefined;

  constructor(deps: MetricsServiceDeps) {
    this.#deps = deps;
  }

  /** Those of the process itself are measured from the first call on; those of the database are missing while it is unavailable. */
  async read(): Promise<Metric[]> {
    this.#processMetrics ??= await measureProcess();
    const [ofProcess, ofDatabase] = await Promise.all([this.#processMetrics(), this.#databaseMetrics()]);
    return [...this.#requestMetrics(), ...this.#queueMetrics(), ...ofDatabase, ...ofProcess];
  }

  #requestMetrics(): Metric[] {
    const { requestCounts } = this.#deps;
    const { routes, refusals } = requestCounts;
    const signInFailures =
      requestCounts.countPosts('/api/v1/auth/login', [401, 404]) +
      requestCounts.countPosts('/api/v1/admin/session', [401]) +
      requestCounts.countPosts('/api/v1/admin/session/passkey', [401]);
    const activations = requestCounts.countPosts('/api/v1/license/activate', [200]);
    return [
      counter(
        { name: 'latchkey_http_requests_total', help: 'Requests by method, route and status.' },
        routes.flatMap(({ method, route, byStatus }) =>
          [...byStatus].map(([status, value]) => ({ value, labels: { method, route, status } })),
        ),
      ),
      histogram(
        { name: 'latchkey_http_request_duration_seconds', help: 'How long requests took, by method and route.' },
        routes.map(({ method, route, durations }) => ({ labels: { method, route }, durations })),
      ),
      counter(
        { name: 'latchkey_rate_limited_total', help: 'Requests that a rate limit rejected, by limit.' },
        [...refusals].map(([limit, value]) => ({ value, labels: { limit } })),
      ),
      counter(
        {
          name: 'latchkey_sign_in_failures_total',
          help: 'Sign-ins with a wrong password or email address, those to the admin page included.',
        },
        [{ value: signInFailures, labels: {} }],
      ),
      counter({ name: 'latchkey_activations_total', help: 'Successful activations, repeated ones included.' }, [
        { value: activations, labels: {} },
      ]),
    ];
  }

  #queueMetrics(): Metric[] {
    const { database, passwordHasher } = this.#deps;
    const { waiting, transactions } = database.writeStatistics;
    return [
      gauge({ name: 'latchkey_queue_waiting', help: 'What waits for its turn, by queue.', aggregator: 'sum' }, [
        { value: waiting, labels: { queue: 'writes' } },
        { value: passwordHasher.waiting, labels: { queue: 'password_hashes' } },
      ]),
      histogram(
        { name: 'latchkey_commit_duration_seconds', help: 'How long transactions took until they were on the disk.' },
        [{ labels: {}, durations: transactions }],
      ),
    ];
  }

  async #databaseMetrics(): Promise<Metric[]> {
    const gauges = await this.#readGauges().catch(() => undefined);
    const seriesOf = (value: number | undefined) => (value === undefined ? [] : [{ value, labels: {} }]);
    return [
      gauge(
        { name: 'latchkey_database_up', help: 'Whether the database could be read, 1 or 0.', aggregator: 'first' },
        [{ value: gauges === undefined ? 0 : 1, labels: {} }],
      ),
      gauge(
        {
          name: 'latchkey_devices_alive',
          help: 'Devices that sent a heartbeat in the last 15 minutes, counted at most once a minute.',
          aggregator: 'first',
        },
        seriesOf(gauges?.devicesAlive),
      ),
      gauge(
        { name: 'latchkey_database_size_bytes', help: 'The size of the database.', aggregator: 'first' },
        seriesOf(gauges?.bytes),
      ),
      gauge(
        {
          name: 'latchkey_unsent',
          help: 'What is stored to be sent, by queue: mails, and events for webhook endpoints. Counted at most once a minute.',
          aggregator: 'first',
        },
        gauges === undefined
          ? []
          : Object.entries(gauges.unsent).map(([queue, value]) => ({ value, labels: { queue } })),
      ),
      gauge(
        {
          name: 'latchkey_backup_proven_timestamp_seconds',
          help: 'When a backup on the schedule was last restored and compared; missing if none ever was.',
          aggregator: 'first',
        },
        seriesOf(gauges?.provenAtMs === undefined ? undefined : gauges.provenAtMs / 1000),
      ),
      gauge(
        {
          name: 'latchkey_audit_log_intact',
          help: 'Whether the end of the audit log is the one that this server remembers, 1 or 0.',
          aggregator: 'first',
        },
        [{ value: this.#deps.auditSealing.isCut ? 0 : 1, labels: {} }],
      ),
      gauge({ name: 'latchkey_build_info', help: 'The version of the server, and of Node.', aggregator: 'first' }, [
        { value: 1, labels: { version: readVersion(), node_version: process.versions.node } },
      ]),
    ];
  }

  #readGauges(): Promise<DatabaseGauges> {
    const { clock } = this.#deps;
    const nowMs = clock.monotonic();
    if (!this.#gauges || nowMs >= this.#gauges.untilMs) {
      const read = this.#queryGauges();
      this.#gauges = { read, untilMs: nowMs + gaugeIntervalMs };
      read.catch(() => {
        this.#gauges = undefined;
      });
    }
    return this.#gauges.read;
  }

  async #queryGauges(): Promise<DatabaseGauges> {
    const { database, config, clock } = this.#deps;
    const [devicesAlive, bytes, unsent, provenAtMs] = await Promise.all([
      countDevicesSince(database.read, clock.now() - aliveMs),
      readDatabaseBytes(database.read, config.databaseFile),
      countUnsent(database.read),
      findLastProof(database.read),
    ]);
    return { devicesAlive, bytes, unsent, provenAtMs };
  }
}

/** Memory, processor time, the delay of the event loop and garbage collection, as prom-client measures them. */
async function measureProcess(): Promise<() => Promise<Metric[]>> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return async () => (await registry.getMetricsAsJSON()) as unknown as Metric[];
}
