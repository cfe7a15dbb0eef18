/** The id by which servers know this device: made from the machine's own id, which never leaves it. */
import { deviceId } from '../../shared/api/fields.ts';
import { formatDeviceId } from '../../shared/formats/device-id.ts';
import type { Log, Machine, PlainStore, Random } from './platform.ts';

const salt = 'latchkey device id 1';
const storeName = 'device-id';

export type DeviceIdParts = {
  readonly machine: Machine;
  readonly plain: PlainStore;
  readonly random: Random;
  readonly log: Log;
};

/** The same id at every start; on a machine without an id of its own a random one that is kept. */
export async function loadDeviceId(parts: DeviceIdParts): Promise<string> {
  const machineId = await parts.machine.readMachineId();
  if (machineId === null) return loadRandomId(parts);
  const text = new TextEncoder().encode(`${salt}\n${machineId.toWellFormed()}`);
  return formatDeviceId(new Uint8Array(await crypto.subtle.digest('SHA-256', text)));
}

async function loadRandomId({ plain, random, log }: DeviceIdParts): Promise<string> {
  const read = await plain.read(storeName);
  if (read.kind === 'value' && deviceId.safeParse(read.value).success) return read.value;
  const id = formatDeviceId(random.bytes(16));
  if (read.kind === 'absent') {
    await plain.write(storeName, id).catch(() => log.warn('the device id could not be kept'));
  } else {
    log.warn('the kept device id cannot be read; another one stands in until the next start');
  }
  return id;
}
