/** Heartbeats: records that a device is in use, and warns of unusual activity. */
import type { HeartbeatResponse } from '../../shared/api/heartbeat.ts';
import { rejectDeletedAccount } from '../accounts/account.service.ts';
import { isRecordDue } from '../activations/activation.rules.ts';
import type { ActivationService } from '../activations/activation.service.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { hasLicenses, readCachedActivation } from '../entitlements/account-record.rules.ts';
import type { AccountRecord } from '../entitlements/account-record.ts';
import type { AccountRecords } from '../entitlements/account-records.ts';
import type { EntitlementService } from '../entitlements/entitlement.service.ts';
import { networkPrefix } from '../http/network-address.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { RecentMap } from '../recent-map.ts';
import { listDeviceActivity } from './device-activity.repository.ts';
import { DeviceActivityWriter } from './device-activity-writer.ts';
import {
  activityRetentionMs,
  type DeviceActivityRecord,
  decideWarning,
  deviceCountWindowMs,
} from './heartbeat.rules.ts';
import { type Basis, RecentWarnings, type Version } from './recent-warnings.ts';

export type HeartbeatServiceDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly accountRecords: AccountRecords;
  readonly plans: PlanService;
  readonly activations: ActivationService;
  readonly entitlements: EntitlementService;
};

const maxNetworks = 10_000;

export class HeartbeatService {
  readonly #deps: HeartbeatServiceDeps;
  readonly #writer: DeviceActivityWriter;
  readonly #warnings = new RecentWarnings();
  /** Network prefixes by address. */
  readonly #networks = new RecentMap<string, string>(maxNetworks);

  constructor(deps: HeartbeatServiceDeps) {
    this.#deps = deps;
    this.#writer = new DeviceActivityWriter(deps);
  }

  /**
   * The response of `/heartbeat`. Of the client's address only the network is stored, for a day. The device is recorded
   * at most once a minute with each user and network; meanwhile the response is cached and returned without a promise.
   */
  record(userId: string, deviceId: string, address: string): HeartbeatResponse | Promise<HeartbeatResponse> {
    const nowMs = this.#deps.clock.now();
    const network = this.#networks.getOrMake(address, () => networkPrefix(address));
    const seen = { userId, deviceId, network, lastSeenAtMs: nowMs };
    const known = this.#warnings.find(seen, this.#readBasis(userId));
    return known ? toResponse(known.warning, nowMs) : this.#recordAndDecide(seen);
  }

  async #recordAndDecide(seen: DeviceActivityRecord): Promise<HeartbeatResponse> {
    const { accountRecords, database } = this.#deps;
    const { userId, deviceId, network, lastSeenAtMs: nowMs } = seen;
    const account = await accountRecords.requireAccount(userId);
    const basis = this.#readBasis(userId);
    let version: Version | undefined = this.#warnings.versionOf(seen);
    const known = await listDeviceActivity(database.read, {
      device: { id: deviceId, sinceMs: nowMs - activityRetentionMs },
      // A user may have been seen on very many devices in a day.
      user: { id: userId, sinceMs: nowMs - deviceCountWindowMs },
    });
    const isThis = (record: DeviceActivityRecord) =>
      record.deviceId === deviceId && record.userId === userId && record.network === network;
    const recordedAtMs = known.find(isThis)?.lastSeenAtMs;
    const isDue = isRecordDue(recordedAtMs, nowMs);
    if (isDue) {
      const device = { device_id: deviceId, user_id: userId, network };
      await this.#writer.record(device).catch(rejectDeletedAccount);
      version = this.#warnings.noteActivity(seen, version);
    }
    const warning = await this.#decideWarning(account, seen, [seen, ...known.filter((record) => !isThis(record))]);
    if (version && basis?.account === account) {
      const recorded = isDue ? nowMs : (recordedAtMs ?? nowMs);
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
    { userId, deviceId, lastSeenAtMs: nowMs }: DeviceActivityRecord,
    records: readonly DeviceActivityRecord[],
  ): Promise<string | undefined> {
    const { activations, entitlements } = this.#deps;
    const maxDevices = await entitlements.maxDevices(account);
    const activation = hasLicenses(account)
      ? readCachedActivation(account, deviceId)
      : await activations.readDeviceActivation(userId, deviceId);
    return decideWarning({ nowMs, userId, deviceId, records, ...activation, maxDevices });
  }
}

function toResponse(warning: string | undefined, nowMs: number): HeartbeatResponse {
  const response = { success: true, timestamp: toIso(nowMs) } as const;
  return warning === undefined ? response : { ...response, warning };
}
