/** Says whether the activity on a device is unusual, in one sentence for a person (decisions "Heartbeat"). */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** For how long a sighting matters to any of the conditions. */
export const sightingMattersMs = 24 * hourMs;
/** For how long the sightings of an account's other devices matter. */
export const devicesWindowMs = 15 * minuteMs;
const networksWindowMs = hourMs;
const mostNetworks = 5;

/** When a device was last seen under an account, from a network. */
export type DeviceActivityRecord = {
  readonly userId: string;
  readonly deviceId: string;
  readonly network: string;
  readonly lastSeenAtMs: number;
};

export type Activity = {
  readonly nowMs: number;
  readonly userId: string;
  readonly deviceId: string;
  /** Those of this device and, for as long as its devices are counted, of this account; this heartbeat's included. */
  readonly sightings: readonly DeviceActivityRecord[];
  readonly hasLicense: boolean;
  /** Whether the device holds a slot of a license of the account. */
  readonly isActivated: boolean;
  readonly maxDevices: number;
};

/** The warning, or `undefined` for usual activity. Of several reasons, the first below is told. */
export function decideWarning(activity: Activity): string | undefined {
  const { nowMs, userId, deviceId, sightings, hasLicense, isActivated, maxDevices } = activity;
  const within = (windowMs: number) => sightings.filter(({ lastSeenAtMs }) => nowMs - lastSeenAtMs <= windowMs);
  if (within(sightingMattersMs).some((seen) => seen.deviceId === deviceId && seen.userId !== userId)) {
    return 'This device was used with another account in the last 24 hours.';
  }
  if (hasLicense && !isActivated) return 'This device is not activated on your license.';
  const ofAccount = within(devicesWindowMs).filter((seen) => seen.userId === userId);
  const devices = new Set(ofAccount.map((seen) => seen.deviceId)).size;
  if (devices > maxDevices) {
    return `Your account was used on ${devices} devices in the last 15 minutes, and your plan allows ${maxDevices}.`;
  }
  const ofDevice = within(networksWindowMs).filter((seen) => seen.deviceId === deviceId);
  const networks = new Set(ofDevice.map((seen) => seen.network)).size;
  if (networks > mostNetworks) return `This device was seen on ${networks} different networks in the last hour.`;
  return undefined;
}
