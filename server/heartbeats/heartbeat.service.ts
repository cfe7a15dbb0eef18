/** Heartbeats: records that a device is in use, and warns of unusual activity. */
import type { HeartbeatResponse } from '../../shared/api/heartbeat.ts';
import { rejectDeletedAccount } from '../accounts/account.service.ts';
import { isRecordDue } from '../activations/activation.rules.ts';
import type { ActivationService } from '../activations/activation.service.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { EntitlementService } from '../entitlements/entitlement.service.ts';
import { networkPrefix } from '../http/network-address.ts';
import { findLastSeen, listDeviceActivity } from './device-activity.repository.ts';
import { DeviceActivityWriter } from './device-activity-writer.ts';
import { activityRetentionMs, decideWarning, deviceCountWindowMs } from './heartbeat.rules.ts';

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
    const nowMs = this.#deps.clock.now();
    const seen = { device_id: deviceId, user_id: userId, network: networkPrefix(address) };
    const lastSeenAtMs = await findLastSeen(this.#deps.database.read, seen);
    if (isRecordDue(lastSeenAtMs, nowMs)) await this.#writer.record(seen).catch(rejectDeletedAccount);
    const warning = await this.#findWarning(userId, deviceId, nowMs);
    return { success: true, timestamp: toIso(nowMs), ...(warning === undefined ? {} : { warning }) };
  }

  async #findWarning(userId: string, deviceId: string, nowMs: number): Promise<string | undefined> {
    const { database, activations, entitlements } = this.#deps;
    const rows = await listDeviceActivity(database.read, {
      device: { id: deviceId, sinceMs: nowMs - activityRetentionMs },
      // A user may have been seen on very many devices in a day.
      user: { id: userId, sinceMs: nowMs - deviceCountWindowMs },
    });
    const { max_devices } = await entitlements.featuresInForce(userId);
    return decideWarning({
      nowMs,
      userId,
      deviceId,
      records: rows.map((row) => ({
        userId: row.user_id,
        deviceId: row.device_id,
        network: row.network,
        lastSeenAtMs: row.last_seen_at_ms,
      })),
      ...(await activations.readDeviceActivation(userId, deviceId)),
      maxDevices: max_devices,
    });
  }
}
