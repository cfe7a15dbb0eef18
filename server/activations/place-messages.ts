/** Messages for users about the places of a license. Programs use `Retry-After` and the device list. */
import type { DeviceAllowance } from './activation.rules.ts';

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const minute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** For example "This license can be used on 1 more new device until 3 December 2026." */
export function describeDeviceAllowance({ remaining, untilMs }: DeviceAllowance): string {
  const until = day.format(untilMs);
  if (remaining === 0) return `This license cannot be used on another new device until ${until}.`;
  return `This license can be used on ${remaining} more new ${remaining === 1 ? 'device' : 'devices'} until ${until}.`;
}

export function allowanceUsed(allowance: DeviceAllowance): string {
  return `This license was used on too many different devices. ${describeDeviceAllowance(allowance)} The devices that it was used on in the last 30 days can still be activated.`;
}

/** For a license whose places are all taken, while those of released devices will become free by themselves. */
export function noPlaceUntil(freeAtMs: number): string {
  return `This license has no place for another device until ${toMinute(freeAtMs)}: devices that were released or are active may work offline until then.`;
}

/** For a device to replace that still has a lease. */
export function replacedKeepsPlace(freeAtMs: number): string {
  return `The device to replace may work offline, so it cannot be replaced before ${toMinute(freeAtMs)}. Release it: once its lease has ended, its place is free.`;
}

/**
 * Formats a time such as "3 December 2026 at 14:05 UTC", rounded up to the next minute so that it is never too early.
 */
function toMinute(timeMs: number): string {
  return `${minute.format(Math.ceil(timeMs / 60_000) * 60_000)} UTC`;
}
