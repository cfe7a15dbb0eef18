/** Handles heartbeats: records that a device is in use, and warns about unusual activity. */
import type { HeartbeatResponse } from '../../shared/api/heartbeat.ts';
import { chooseLanguage } from '../accept-language.ts';
import type { AccountSnapshot } from '../account-snapshots/account-snapshot.ts';
import type { SnapshotCache } from '../account-snapshots/snapshot-cache.ts';
import { isRecordDue, readDeviceActivation } from '../activations/activation.rules.ts';
import type { ActivationService } from '../activations/activation.service.ts';
import { createBatchLoader } from '../batch-loader.ts';
import { toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import { isPostgres } from '../database/database.ts';
import { rejectDeletedAccount } from '../database/database-errors.ts';
import type { EntitlementService } from '../entitlements/entitlement.service.ts';
import { networkPrefix } from '../network-address.ts';
import type { PlanService, Plans } from '../plans/plan.service.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import { type ActiveDevice, findRecentActivity } from './device-activity.repository.ts';
import { DeviceActivityWriter } from './device-activity-writer.ts';
import {
  decideWarning,
  hasSeveralInstallations,
  maxInstances,
  type RecentActivity,
  type Warning,
} from './heartbeat.rules.ts';
import { RecentWarnings, type SeenDevice, type Version } from './recent-warnings.ts';
import { SuspicionReporter } from './suspicion-reporter.ts';
import { describeWarning } from './warning-text.ts';

type HeartbeatServiceDeps = CommonDeps & {
  readonly outbox: EventOutbox;
  readonly accountSnapshots: SnapshotCache;
  readonly plans: PlanService;
  readonly activations: ActivationService;
  readonly entitlements: EntitlementService;
};

/** A received heartbeat; `instance` is empty if the app does not identify its starts. */
type ReceivedHeartbeat = Pick<SeenDevice, 'userId' | 'deviceId' | 'instance'> & {
  readonly address: string;
  /** The Accept-Language header, for the warning. */
  readonly acceptLanguage?: string | undefined;
};

/** What a warning depends on besides activity. */
type HeartbeatBasis = { readonly account: AccountSnapshot; readonly plans: Plans };

export class HeartbeatService {
  readonly #deps: HeartbeatServiceDeps;
  readonly #readActivity: (device: ActiveDevice) => Promise<RecentActivity>;
  readonly #writer: DeviceActivityWriter;
  readonly #suspicions: SuspicionReporter;
  readonly #warnings = new RecentWarnings();

  constructor(deps: HeartbeatServiceDeps) {
    this.#deps = deps;
    this.#readActivity = createActivityReader(deps);
    this.#writer = new DeviceActivityWriter(deps);
    this.#suspicions = new SuspicionReporter(deps);
  }

  /**
   * Handles `/heartbeat`. Stores only the network of the client's address, for a day. Records the device at most once a
   * minute for each user, network and instance; in between, the last response for the device is cached.
   */
  async record(received: ReceivedHeartbeat): Promise<HeartbeatResponse> {
    const { userId, deviceId, instance, address, acceptLanguage } = received;
    const { accountSnapshots, plans, clock } = this.#deps;
    const account = await accountSnapshots.requireAccount(userId);
    const basis = { account, plans: await plans.loadAll() };
    const nowMs = clock.now();
    const seen = { userId, deviceId, network: networkPrefix(address), instance, lastSeenAtMs: nowMs };
    const known = this.#warnings.find(seen, basis);
    const warning = known ? known.warning : await this.#recordAndDecide(seen, basis);
    const response = { success: true, timestamp: toIso(nowMs) } as const;
    return warning ? { ...response, warning: describeWarning(warning, chooseLanguage(acceptLanguage)) } : response;
  }

  async #recordAndDecide(seen: SeenDevice, basis: HeartbeatBasis): Promise<Warning | undefined> {
    const { userId, deviceId, network, instance, lastSeenAtMs: nowMs } = seen;
    let version: Version | undefined = this.#warnings.versionOf(seen);
    const device = { device_id: deviceId, user_id: userId, network, instance };
    const activity = await this.#readActivity(device);
    const isDue = isRecordDue(activity.recordedAtMs, nowMs);
    if (isDue) {
      const { isActivated } = readDeviceActivation(basis.account, deviceId);
      const isNewInstance = activity.recordedAtMs === undefined && activity.otherInstances >= maxInstances;
      const written = {
        ...device,
        instance: isNewInstance ? '' : instance,
        isActivated,
        hasSeveralInstallations: hasSeveralInstallations(activity),
      };
      await this.#writer.record(written).catch(rejectDeletedAccount);
      version = this.#warnings.recordActivity(seen, version);
    }
    const maxDevices = await this.#deps.entitlements.maxDevices(basis.account);
    const warning = decideWarning({ activity, ...readDeviceActivation(basis.account, deviceId), maxDevices });
    if (warning) await this.#suspicions.report(seen, describeWarning(warning, 'en'));
    if (version) {
      const recorded = isDue ? nowMs : (activity.recordedAtMs ?? nowMs);
      this.#warnings.remember({ ...seen, lastSeenAtMs: recorded }, { warning, basis, version });
    }
    return warning;
  }
}

/** While one query is running, the next one is collected and sent. */
const batchLimits = { maxBatchSize: 200, maxRunning: 2, maxWaiting: 5_000 };

/**
 * Returns the function that reads what was recorded earlier for a device and its user. On PostgreSQL, heartbeats that
 * arrive together share one query; SQLite responds synchronously, so nothing is gained by collecting queries.
 */
function createActivityReader({ database, clock }: HeartbeatServiceDeps) {
  const run = (devices: readonly ActiveDevice[]) => findRecentActivity(database.read, devices, clock.now());
  if (isPostgres(database.read)) return createBatchLoader({ run, ...batchLimits });
  return async (device: ActiveDevice) => {
    const [activity] = await run([device]);
    if (!activity) throw new TypeError('a query without conditions returns a row');
    return activity;
  };
}
