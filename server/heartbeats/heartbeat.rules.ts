/** Which activity of a device is unusual, as a message for the user. */
import { hourMs, minuteMs } from '../clock.ts';

/** How far back another account on the same device matters; older records are deleted. */
export const activityRetentionMs = 24 * hourMs;
/** How far back the devices of a user are counted. */
export const deviceCountWindowMs = 15 * minuteMs;
/** How far back the networks of a device are counted. */
export const networkCountWindowMs = hourMs;
const maxNetworks = 5;

/** How far back instances of a device count as in use. */
export const instanceWindowMs = hourMs;
/**
 * How often two instances must each have come back after another one to be two installations. An instance is one start of
 * the app, and never comes back once the app was started again, reinstalled, or its machine set back to a snapshot; a heartbeat
 * on its way during a restart may look like it once at the beginning of an instance and once at its end.
 */
export const minReturns = 3;
/** More instances of a device are not told apart within a day: each takes a row. */
export const maxInstances = 16;

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
  /** How many other instances of the device are recorded, and how many of all, in the last hour, come back again and again. */
  readonly otherInstances: number;
  readonly returningInstances: number;
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
  if (hasSeveralInstallations(activity)) {
    return 'This device is used by more than one installation at a time, for example by copies of a virtual machine.';
  }
  const devices = activity.otherDevices + 1;
  if (devices > maxDevices) {
    return `Your account was used on ${devices} ${devices === 1 ? 'device' : 'devices'} in the last 15 minutes, and your plan allows ${maxDevices}.`;
  }
  const networks = activity.otherNetworks + 1;
  if (networks > maxNetworks) return `This device was used on ${networks} different networks in the last hour.`;
  return undefined;
}

/** Whether two installations of the app, each running on, use the same device id. */
export function hasSeveralInstallations({ returningInstances }: RecentActivity): boolean {
  return returningInstances > 1;
}
