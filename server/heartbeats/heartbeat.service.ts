/** Heartbeats: records that a device is in use, and warns where its activity is unusual. */
import type { HeartbeatResponse } from '../../shared/api/heartbeat.ts';
import { rejectDeletedAccount } from '../accounts/account.service.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { EntitlementService } from '../entitlements/entitlement.service.ts';
import { networkPrefix } from '../http/network-address.ts';
import type { ActivationService } from '../licenses/activation.service.ts';
import { deleteDeviceActivityBefore, listDeviceActivity, recordDeviceActivity } from './device-activity.repository.ts';
import { decideWarning, devicesWindowMs, sightingMattersMs } from './heartbeat.rules.ts';

export type HeartbeatService = {
  /** The answer of `/heartbeat` (interface §4). `address` is the client's; only its network is kept, for a day. */
  record(userId: string, deviceId: string, address: string): Promise<HeartbeatResponse>;
};

/** Old sightings go with the write of a heartbeat, this often. */
const forgetEveryMs = 10 * 60_000;

type Parts = {
  database: Database;
  clock: Clock;
  activations: ActivationService;
  status: EntitlementService;
};

export function createHeartbeatService({ database, clock, activations, status }: Parts): HeartbeatService {
  let forgotAt = Number.NEGATIVE_INFINITY;
  async function write(userId: string, deviceId: string, network: string, nowMs: number): Promise<void> {
    const isForgetting = clock.monotonic() - forgotAt >= forgetEveryMs;
    const written = database.write(async (transaction) => {
      if (isForgetting) await deleteDeviceActivityBefore(transaction, nowMs - sightingMattersMs);
      await recordDeviceActivity(transaction, { device_id: deviceId, user_id: userId, network }, nowMs);
      await activations.markSeen(transaction, userId, deviceId);
    });
    await written.catch(rejectDeletedAccount);
    if (isForgetting) forgotAt = clock.monotonic();
  }
  async function judge(userId: string, deviceId: string, nowMs: number): Promise<string | undefined> {
    // An account may have been seen on very many devices in a day.
    const rows = await listDeviceActivity(database.read, {
      device: { id: deviceId, sinceMs: nowMs - sightingMattersMs },
      user: { id: userId, sinceMs: nowMs - devicesWindowMs },
    });
    const { max_devices } = await status.featuresInForce(userId);
    return decideWarning({
      nowMs,
      userId,
      deviceId,
      sightings: rows.map((row) => ({
        userId: row.user_id,
        deviceId: row.device_id,
        network: row.network,
        lastSeenAtMs: row.last_seen_at_ms,
      })),
      ...(await activations.deviceStanding(userId, deviceId)),
      maxDevices: max_devices,
    });
  }
  return {
    async record(userId, deviceId, address) {
      const nowMs = clock.now();
      await write(userId, deviceId, networkPrefix(address), nowMs);
      const warning = await judge(userId, deviceId, nowMs);
      return { success: true, timestamp: toIso(nowMs), ...(warning === undefined ? {} : { warning }) };
    },
  };
}
