/** Which activity of a device is unusual, as a message for the user. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How far back activity matters to any of the conditions; older records are deleted. */
export const activityRetentionMs = 24 * hourMs;
/** How far back the devices of a user are counted. */
export const deviceCountWindowMs = 15 * minuteMs;
const networkCountWindowMs = hourMs;
const maxNetworks = 5;

/** When a device was last used by a user from a network, recorded at most once a minute. */
export type DeviceActivityRecord = {
  readonly userId: string;
  readonly deviceId: string;
  readonly network: string;
  readonly lastSeenAtMs: number;
};

export type HeartbeatInput = {
  readonly nowMs: number;
  readonly userId: string;
  readonly deviceId: string;
  /** Those of this device, and the recent ones of this user on any device; this heartbeat is one of them. */
  readonly records: readonly DeviceActivityRecord[];
  readonly hasLicense: boolean;
  /** Whether the device is active on a license of the user. */
  readonly isActivated: boolean;
  readonly maxDevices: number;
};

/** The warning of the first condition that holds, `undefined` for usual activity. */
export function decideWarning(input: HeartbeatInput): string | undefined {
  const { nowMs, userId, deviceId, records, hasLicense, isActivated, maxDevices } = input;
  const within = (windowMs: number) => records.filter(({ lastSeenAtMs }) => nowMs - lastSeenAtMs <= windowMs);
  if (within(activityRetentionMs).some((record) => record.deviceId === deviceId && record.userId !== userId)) {
    return 'This device was used with another account in the last 24 hours.';
  }
  if (hasLicense && !isActivated) return 'This device is not activated on your license.';
  const ofUser = within(deviceCountWindowMs).filter((record) => record.userId === userId);
  const devices = new Set(ofUser.map((record) => record.deviceId)).size;
  if (devices > maxDevices) {
    return `Your account was used on ${devices} devices in the last 15 minutes, and your plan allows ${maxDevices}.`;
  }
  const ofDevice = within(networkCountWindowMs).filter((record) => record.deviceId === deviceId);
  const networks = new Set(ofDevice.map((record) => record.network)).size;
  if (networks > maxNetworks) return `This device was used on ${networks} different networks in the last hour.`;
  return undefined;
}
