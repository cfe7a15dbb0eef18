/** Heartbeats: records that a device is in use, and warns of unusual activity. */
import type { HeartbeatResponse } from '../../shared/api/heartbeat.ts';
import { rejectDeletedAccount } from '../accounts/account.service.ts';
import { isRecordDue } from '../activations/activation.rules.ts';
import type { ActivationService } from '../activations/activation.service.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { EntitlementService } from '../entitlements/entitlement.service.ts';
import { networkPrefix } from '../http/network-address.ts';
import { listDeviceActivity } from './device-activity.repository.ts';
import { DeviceActivityWriter } from './device-activity-writer.ts';
import {
  activityRetentionMs,
  type DeviceActivityRecord,
  decideWarning,
  deviceCountWindowMs,
} from './heartbeat.rules.ts';

export type HeartbeatServiceDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly activations: ActivationService;
  readonly entitlements: EntitlementService;
};

export class HeartbeatService {
  readonly #deps: HeartbeatServiceDeps;
  readonly #writer: DeviceActivityWriter;

  constructor(deps: HeartbeatServiceDeps) {
    this.#deps = deps;
    this.#writer = new DeviceActivityWriter(deps);
  }

  /**
   * The response of `/heartbeat`. Of the client's address only the network is stored, for a day. The device is recorded
   * at most once a minute with each user and network.
   */
  async record(userId: string, deviceId: string, address: string): Promise<HeartbeatResponse> {
    const { database, clock } = this.#deps;
    const nowMs = clock.now();
    const network = networkPrefix(address);
    const known = await listDeviceActivity(database.read, {
      device: { id: deviceId, sinceMs: nowMs - activityRetentionMs },
      // A user may have been seen on very many devices in a day.
      user: { id: userId, sinceMs: nowMs - deviceCountWindowMs },
    });
    const isThis = (record: DeviceActivityRecord) =>
      record.deviceId === deviceId && record.userId === userId && record.network === network;
    if (isRecordDue(known.find(isThis)?.lastSeenAtMs, nowMs)) {
      const seen = { device_id: deviceId, user_id: userId, network };
      await this.#writer.record(seen).catch(rejectDeletedAccount);
    }
    const now = { userId, deviceId, network, lastSeenAtMs: nowMs };
    const warning = await this.#findWarning(now, [now, ...known.filter((record) => !isThis(record))]);
    return { success: true, timestamp: toIso(nowMs), ...(warning === undefined ? {} : { warning }) };
  }

  async #findWarning(
    { userId, deviceId, lastSeenAtMs: nowMs }: DeviceActivityRecord,
    records: readonly DeviceActivityRecord[],
  ): Promise<string | undefined> {
    const { activations, entitlements } = this.#deps;
    const { max_devices: maxDevices } = await entitlements.featuresInForce(userId);
    const activation = await activations.readDeviceActivation(userId, deviceId);
    return decideWarning({ nowMs, userId, deviceId, records, ...activation, maxDevices });
  }
}
