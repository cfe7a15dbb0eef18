/** The services of a test app's database, for what staff do, and keys and devices to try them with. */

import { systemRandom } from '../../server/random.ts';
import { createServices, type Services } from '../../server/services.ts';
import { formatDeviceId } from '../../shared/formats/device-id.ts';
import type { TestApp } from './start-app.ts';

export function servicesOf({ config, database, secrets, clock }: TestApp): Services {
  return createServices({ config, database, secrets, clock, random: systemRandom });
}

/** The device of that number. */
export function deviceId(number: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(number, 12);
  return formatDeviceId(bytes);
}
