/** Decides which activity of a device is unusual, and phrases the warning for the user. */
import { hourMs, minuteMs } from '../clock.ts';

/** How far back use of the same device by another account matters; older records are deleted. */
export const activityRetentionMs = 24 * hourMs;
/** How far back the devices of a user are counted. */
export const deviceCountWindowMs = 15 * minuteMs;
/** How far back the networks of a device are counted. */
export const networkCountWindowMs = hourMs;
const maxNetworks = 5;

/** How far back instances of a device count as in use. */
export const instanceWindowMs = hourMs;
/**
 * Number of times that two instances must each have come back after another one to count as two installations. An
 * instance is one start of the app, and never comes back after the app was restarted or reinstalled, or its machine was
 * reset to a snapshot. A heartbeat in transit during a restart may look like a return, once at the start of an instance
 * and once at its end.
 */
export const minReturns = 3;
/**
 * Maximum number of instances recorded for a device within a day; further ones are not distinguished, because each
 * takes a row.
 */
export const maxInstances = 16;

/** What was recorded before a heartbeat, within the windows above. */
export type RecentActivity = {
  /** Time of the last record of this device with this user, network and instance. */
  readonly recordedAtMs: number | undefined;
  /** True if another account used the device. */
  readonly hasOtherUser: boolean;
  /** Number of other devices on which the user was seen. */
  readonly otherDevices: number;
  /** Number of other networks from which the device was used. */
  readonly otherNetworks: number;
  /**
   * Number of other recorded instances of the device, and of all instances that came back repeatedly in the last hour.
   */
  readonly otherInstances: number;
  readonly returningInstances: number;
};

export type HeartbeatInput = {
  readonly activity: RecentActivity;
  readonly hasLicense: boolean;
  /** True if the device is active on a license of the user. */
  readonly isActivated: boolean;
  readonly maxDevices: number;
};

/** Returns the warning for the first condition that applies; `undefined` for normal activity. */
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

/** Returns true if two running installations of the app use the same device id. */
export function hasSeveralInstallations({ returningInstances }: RecentActivity): boolean {
  return returningInstances > 1;
}
