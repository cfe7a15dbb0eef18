/** Which activity of a device is unusual, as a message for the user. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How far back another account on the same device matters; older records are deleted. */
export const activityRetentionMs = 24 * hourMs;
/** How far back the devices of a user are counted. */
export const deviceCountWindowMs = 15 * minuteMs;
/** How far back the networks of a device are counted. */
export const networkCountWindowMs = hourMs;
const maxNetworks = 5;

/** What was recorded before a heartbeat, within the windows above. */
export type RecentActivity = {
  /** When this device was last recorded with this user and network. */
  readonly recordedAtMs: number | undefined;
  /** Whether another account used the device. */
  readonly hasOtherUser: boolean;
  /** On how many other devices the user was seen. */
  readonly otherDevices: number;
  /** From how many other networks the device was used. */
  readonly otherNetworks: number;
};

export type HeartbeatInput = {
  readonly activity: RecentActivity;
  readonly hasLicense: boolean;
  /** Whether the device is active on a license of the user. */
  readonly isActivated: boolean;
  readonly maxDevices: number;
};

/** The warning of the first condition that holds, `undefined` for usual activity. */
export function decideWarning({ activity, hasLicense, isActivated, maxDevices }: HeartbeatInput): string | undefined {
  if (activity.hasOtherUser) return 'This device was used with another account in the last 24 hours.';
  if (hasLicense && !isActivated) return 'This device is not activated on your license.';
  const devices = activity.otherDevices + 1;
  if (devices > maxDevices) {
    return `Your account was used on ${devices} ${devices === 1 ? 'device' : 'devices'} in the last 15 minutes, and your plan allows ${maxDevices}.`;
  }
  const networks = activity.otherNetworks + 1;
  if (networks > maxNetworks) return `This device was used on ${networks} different networks in the last hour.`;
  return undefined;
}
