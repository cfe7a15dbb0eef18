/** Heartbeats: records that a device is in use, and warns of unusual activity. */
import type { HeartbeatResponse } from '../../shared/api/heartbeat.ts';
import { isRecordDue } from '../activations/activation.rules.ts';
import type { ActivationService } from '../activations/activation.service.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { hasLicenses, readCachedActivation } from '../entitlements/account-record.rules.ts';
import type { AccountRecord } from '../entitlements/account-record.ts';
import type { AccountRecords } from '../entitlements/account-records.ts';
import type { EntitlementService } from '../entitlements/entitlement.service.ts';
import { networkPrefix } from '../http/network-address.ts';
import { rejectDeletedAccount } from '../missing-account.ts';
import type { PlanService } from '../plans/plan.service.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import { DeviceActivityReader } from './device-activity-reader.ts';
import { DeviceActivityWriter } from './device-activity-writer.ts';
import { decideWarning, type RecentActivity } from './heartbeat.rules.ts';
import { type Basis, RecentWarnings, type SeenDevice, type Version } from './recent-warnings.ts';
import { SuspicionReporter } from './suspicion-reporter.ts';

export type HeartbeatServiceDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly outbox: EventOutbox;
  readonly accountRecords: AccountRecords;
  readonly plans: PlanService;
  readonly activations: ActivationService;
  readonly entitlements: EntitlementService;
};

export class HeartbeatService {
  readonly #deps: HeartbeatServiceDeps;
  readonly #reader: DeviceActivityReader;
  readonly #writer: DeviceActivityWriter;
  readonly #suspicions: SuspicionReporter;
  readonly #warnings = new RecentWarnings();

  constructor(deps: HeartbeatServiceDeps) {
    this.#deps = deps;
    this.#reader = new DeviceActivityReader(deps);
    this.#writer = new DeviceActivityWriter(deps);
    this.#suspicions = new SuspicionReporter(deps);
  }

  /**
   * The response of `/heartbeat`. Of the client's address only the network is stored, for a day. The device is recorded
   * at most once a minute with each user and network; meanwhile the last response of the device is cached, and returned
   * without a promise.
   */
  record(userId: string, deviceId: string, address: string): HeartbeatResponse | Promise<HeartbeatResponse> {
    const nowMs = this.#deps.clock.now();
    const seen = { userId, deviceId, network: networkPrefix(address), lastSeenAtMs: nowMs };
    const known = this.#warnings.find(seen, this.#readBasis(userId));
    return known ? toResponse(known.warning, nowMs) : this.#recordAndDecide(seen);
  }

  async #recordAndDecide(seen: SeenDevice): Promise<HeartbeatResponse> {
    const { userId, deviceId, network, lastSeenAtMs: nowMs } = seen;
    const account = await this.#deps.accountRecords.requireAccount(userId);
    const basis = this.#readBasis(userId);
    let version: Version | undefined = this.#warnings.versionOf(seen);
    const device = { device_id: deviceId, user_id: userId, network };
    const activity = await this.#reader.read(device);
    const isDue = isRecordDue(activity.recordedAtMs, nowMs);
    if (isDue) {
      const mayBeActivated = !hasLicenses(account) || readCachedActivation(account, deviceId).isActivated;
      await this.#writer.record({ ...device, mayBeActivated }).catch(rejectDeletedAccount);
      version = this.#warnings.noteActivity(seen, version);
    }
    const warning = await this.#decideWarning(account, deviceId, activity);
    if (warning !== undefined) await this.#suspicions.report(seen, warning);
    if (version && basis?.account === account) {
      const recorded = isDue ? nowMs : (activity.recordedAtMs ?? nowMs);
      this.#warnings.remember({ ...seen, lastSeenAtMs: recorded }, { warning, basis, version });
    }
    return toResponse(warning, nowMs);
  }

  /** What the warnings of the user depend on besides activity; `undefined` if that is not cached. */
  #readBasis(userId: string): Basis | undefined {
    const account = this.#deps.accountRecords.findAccount(userId);
    const plans = this.#deps.plans.cached;
    return account && plans && { account, plans };
  }

  async #decideWarning(
    account: AccountRecord,
    deviceId: string,
    activity: RecentActivity,
  ): Promise<string | undefined> {
    const { activations, entitlements } = this.#deps;
    const maxDevices = await entitlements.maxDevices(account);
    const activation = hasLicenses(account)
      ? readCachedActivation(account, deviceId)
      : await activations.readDeviceActivation(account.userId, deviceId);
    return decideWarning({ activity, ...activation, maxDevices });
  }
}

function toResponse(warning: string | undefined, nowMs: number): HeartbeatResponse {
  const response = { success: true, timestamp: toIso(nowMs) } as const;
  return warning === undefined ? response : { ...response, warning };
}
