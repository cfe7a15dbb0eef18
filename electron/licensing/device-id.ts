/** The id by which servers know this device, derived from the machine's own id, which never leaves the device. */
import { deviceId } from '../../shared/api/fields.ts';
import { formatDeviceId } from '../../shared/formats/device-id.ts';
import type { Log, Machine, PlainStore, Random } from './platform.ts';

const salt = 'latchkey device id 1';
const storeName = 'device-id';

export type DeviceIdentityDeps = {
  readonly machine: Machine;
  readonly plain: PlainStore;
  readonly random: Random;
  readonly log: Log;
};

export class DeviceIdentity {
  readonly #deps: DeviceIdentityDeps;
  #loadedId: string | null = null;

  constructor(deps: DeviceIdentityDeps) {
    this.#deps = deps;
  }

  /** `null` until it is loaded. */
  get loadedId(): string | null {
    return this.#loadedId;
  }

  /** Throws until it is loaded, which is before anybody can be signed in. */
  get id(): string {
    if (this.#loadedId === null) throw new Error('The device id is not loaded yet.');
    return this.#loadedId;
  }

  /** Loads the id: the same at every start; on a machine without an id of its own, a random one that is stored. */
  async load(): Promise<void> {
    const machineId = await this.#deps.machine.readMachineId();
    this.#loadedId = machineId === null ? await this.#loadRandomId() : await hashMachineId(machineId);
  }

  async #loadRandomId(): Promise<string> {
    const { plain, random, log } = this.#deps;
    const read = await plain.read(storeName);
    if (read.kind === 'value' && deviceId.safeParse(read.value).success) return read.value;
    const id = formatDeviceId(random.bytes(16));
    if (read.kind === 'absent') {
      await plain.write(storeName, id).catch(() => log.warn('the device id could not be stored'));
    } else {
      log.warn('the stored device id cannot be read; another one is used until the next start');
    }
    return id;
  }
}

async function hashMachineId(machineId: string): Promise<string> {
  const text = new TextEncoder().encode(`${salt}\n${machineId.toWellFormed()}`);
  return formatDeviceId(new Uint8Array(await crypto.subtle.digest('SHA-256', text)));
}
