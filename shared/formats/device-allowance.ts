/** Writes and reads the server's message about how many more new devices a license may be used on. */

export type DeviceAllowance = {
  /** How many more devices the license may be used on that it was not used on lately. */
  readonly remaining: number;
  /** The first day (UTC) that begins with one more, in milliseconds since 1970. */
  readonly untilMs: number;
};

const pattern =
  /license can(?:not be used on another new device| be used on (\d{1,6}) more new devices?) until (\d{1,2} [A-Z][a-z]+ \d{4})\./;

/** "This license can be used on 1 more new device until 3 December 2026." */
export function describeDeviceAllowance({ remaining, untilMs }: DeviceAllowance): string {
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(untilMs);
  if (remaining === 0) return `This license cannot be used on another new device until ${day}.`;
  return `This license can be used on ${remaining} more new ${remaining === 1 ? 'device' : 'devices'} until ${day}.`;
}

/** The allowance that a message of the server contains; `undefined` where it says nothing about it. */
export function readDeviceAllowance(message: string): DeviceAllowance | undefined {
  const [, remaining = '0', day = ''] = pattern.exec(message) ?? [];
  const untilMs = Date.parse(`${day} UTC`);
  return Number.isNaN(untilMs) ? undefined : { remaining: Number(remaining), untilMs };
}
