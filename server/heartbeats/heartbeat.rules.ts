/** Decides which activity of a device is unusual. */
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

/** What is unusual about a device; `warning-text.ts` phrases it. */
export type Warning =
  | { readonly kind: 'other user' | 'not activated' | 'several installations' }
  | { readonly kind: 'devices'; readonly count: number; readonly allowed: number }
  | { readonly kind: 'networks'; readonly count: number };

/** Returns the warning for the first condition that applies; `undefined` for normal activity. */
export function decideWarning({ activity, hasLicense, isActivated, maxDevices }: HeartbeatInput): Warning | undefined {
  if (activity.hasOtherUser) return { kind: 'other user' };
  if (hasLicense && !isActivated) return { kind: 'not activated' };
  if (hasSeveralInstallations(activity)) return { kind: 'several installations' };
  const devices = activity.otherDevices + 1;
  if (devices > maxDevices) return { kind: 'devices', count: devices, allowed: maxDevices };
  const networks = activity.otherNetworks + 1;
  if (networks > maxNetworks) return { kind: 'networks', count: networks };
  return undefined;
}

/** Returns true if two running installations of the app use the same device id. */
export function hasSeveralInstallations({ returningInstances }: RecentActivity): boolean {
  return returningInstances > 1;
}
