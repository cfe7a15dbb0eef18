/** Sends an event about unusual device activity to webhook endpoints that want it. */
import { LRUCache } from 'lru-cache';
import { createBatchLoader } from '../batch-loader.ts';
import { upTo } from '../cache-size.ts';
import type { Database } from '../database/database.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import type { SeenDevice } from './recent-warnings.ts';

type SuspicionReporterDeps = { readonly database: Database; readonly outbox: EventOutbox };

/** Interval at which the same warning about a device, which keeps sending heartbeats, is reported, in ms. */
const reportIntervalMs = 60 * 60 * 1000;
/**
 * Maximum number of reports about the devices of one account in that interval: it can name any number of devices,
 * whose events would otherwise delay and displace those of others.
 */
const maxReportsOfUser = 10;
const maxReports = 10_000;
/** One query serves all heartbeats that arrive together. */
const batchLimits = { maxBatchSize: 200, maxRunning: 2, maxWaiting: 5_000 };

type UserReports = { readonly sinceMs: number; count: number };

export class SuspicionReporter {
  readonly #deps: SuspicionReporterDeps;
  readonly #reportedAtMs = new LRUCache<string, number>(upTo(maxReports));
  readonly #ofUsers = new LRUCache<string, UserReports>(upTo(maxReports));

  readonly #isWanted = createBatchLoader<'device.suspicious', boolean>({
    run: async (types) => {
      const { database, outbox } = this.#deps;
      const isWanted = await outbox.isWanted(database.read, 'device.suspicious');
      return types.map(() => isWanted);
    },
    ...batchLimits,
  });

  constructor(deps: SuspicionReporterDeps) {
    this.#deps = deps;
  }

  /** Reports a warning. Writes nothing if no endpoint wants the event. */
  async report({ userId, deviceId, lastSeenAtMs: nowMs }: SeenDevice, warning: string): Promise<void> {
    const { database, outbox } = this.#deps;
    // The numbers in a warning change between heartbeats.
    const key = `${userId} ${deviceId} ${warning.replaceAll(/\d+/g, '')}`;
    const reportedAtMs = this.#reportedAtMs.get(key);
    if (reportedAtMs !== undefined && isRecent(reportedAtMs, nowMs)) return;
    if (!(await this.#isWanted('device.suspicious')) || !this.#takeReport(userId, nowMs)) return;
    const event = { type: 'device.suspicious', userId, data: { device_id: deviceId, warning } } as const;
    await database.write((transaction) => outbox.add(transaction, event));
    this.#reportedAtMs.set(key, nowMs);
  }

  /** Counts a report about a device of the user; returns false if there have been enough. */
  #takeReport(userId: string, nowMs: number): boolean {
    const known = this.#ofUsers.get(userId);
    const reports = known && isRecent(known.sinceMs, nowMs) ? known : { sinceMs: nowMs, count: 0 };
    reports.count += 1;
    this.#ofUsers.set(userId, reports);
    return reports.count <= maxReportsOfUser;
  }
}

function isRecent(atMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) < reportIntervalMs;
}
