/** The id by which servers recognize this device, derived from the machine's own id, which never leaves the device. */
import { z } from 'zod';
import { deviceId } from '../../shared/api/fields.ts';
import { formatDeviceId } from '../../shared/formats/device-id.ts';
import type { Clock, Log, Machine, PlainStore, Random, SecretStore, StoreRead, Subtle } from './platform.ts';
import { readDocument, type StoredDocument } from './stored-document.ts';

const salt = 'latchkey device id 1';
const storeName = 'device-id';

/** Delays between attempts to read the machine id; a machine that was never read then gets a random one. */
const retryDelaysMs = [100, 400, 1500];

/** The id in use and its source. */
const storedDeviceId = z.object({
  version: z.literal(1),
  deviceId,
  source: z.enum(['machine', 'random']),
});

/** Confirms that a random id was made here, since anyone can write a line into the settings. */
const confirmation = z.object({
  version: z.literal(1),
  deviceId,
  /** The id derived from the machine's own, once readable: the random one counts on no other machine. */
  machineDeviceId: deviceId.nullable(),
});

/** `remembered`: the machine's own id cannot be read now, so the one derived from it earlier is used. */
type DeviceIdSource = 'machine' | 'random' | 'remembered';

type DeviceIdentityDeps = {
  readonly machine: Machine;
  readonly plain: PlainStore;
  readonly secrets: SecretStore;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  readonly subtle: Pick<Subtle, 'digest'>;
};

export class DeviceIdentity {
  readonly #deps: DeviceIdentityDeps;
  #loaded: { readonly id: string; readonly source: DeviceIdSource } | null = null;

  constructor(deps: DeviceIdentityDeps) {
    this.#deps = deps;
  }

  /** `null` until loaded. */
  get loadedId(): string | null {
    return this.#loaded?.id ?? null;
  }

  /** Throws until loaded, which is before anybody can be signed in. */
  get id(): string {
    if (this.#loaded === null) throw new Error('The device id is not loaded yet.');
    return this.#loaded.id;
  }

  /** Where the id comes from; `null` until loaded. */
  get source(): DeviceIdSource | null {
    return this.#loaded?.source ?? null;
  }

  /**
   * Loads the id. It is the same at every start, because each id takes a place on a license: derived from the machine's
   * own id; the remembered one while that cannot be read; a random one on a machine without any. A random id made here
   * stays even if the machine's own becomes readable later. A profile copied to another machine gets the id of that
   * machine.
   */
  async load(): Promise<void> {
    const remembered = await this.#readStored();
    const isRemembered = remembered.kind === 'value' && remembered.source !== null;
    const isRandom = isRemembered && remembered.source === 'random';
    const machineId = await this.#readMachineId(isRemembered ? [] : retryDelaysMs);
    if (machineId.kind === 'value') {
      const id = await hashMachineId(machineId.value, this.#deps.subtle);
      const confirmed = isRandom ? await this.#confirm(remembered.deviceId, id) : 'no';
      if (isRandom && confirmed === 'yes') this.#loaded = { id: remembered.deviceId, source: 'random' };
      else if (confirmed === 'unknown') this.#loaded = { id, source: 'machine' };
      else await this.#use({ id, source: 'machine' }, remembered);
    } else if (isRandom) {
      this.#loaded = { id: remembered.deviceId, source: 'random' };
    } else if (isRemembered) {
      this.#deps.log.warn('the machine id cannot be read; the remembered device id is used');
      this.#loaded = { id: remembered.deviceId, source: 'remembered' };
    } else {
      const id = remembered.kind === 'value' ? remembered.deviceId : formatDeviceId(this.#deps.random.bytes(16));
      await this.#use({ id, source: 'random' }, remembered);
    }
  }

  /** Tells whether the random id was made on the machine with that derived id; `unknown` while that cannot be read. */
  async #confirm(randomId: string, machineDeviceId: string): Promise<'yes' | 'no' | 'unknown'> {
    const read = await readDocument(this.#deps.secrets, storeName, confirmation);
    if (read.kind !== 'value') return read.kind === 'absent' ? 'no' : 'unknown';
    if (read.value.deviceId !== randomId) return 'no';
    if (read.value.machineDeviceId === null) await this.#writeConfirmation(randomId, machineDeviceId);
    return (read.value.machineDeviceId ?? machineDeviceId) === machineDeviceId ? 'yes' : 'no';
  }

  async #writeConfirmation(randomId: string, machineDeviceId: string | null): Promise<void> {
    const { secrets, log } = this.#deps;
    const document = { version: 1, min_reader: 1, deviceId: randomId, machineDeviceId };
    try {
      const read = await readDocument(secrets, storeName, confirmation);
      if (read.kind === 'unreadable' || (read.kind === 'value' && read.isNewer)) await secrets.setAside(storeName);
      await secrets.write(storeName, JSON.stringify(document));
    } catch {
      log.warn('the device id could not be confirmed for later starts');
    }
  }

  /**
   * Uses the id and stores it if needed. A stored document that cannot be read or is newer stays; a damaged one is set
   * aside.
   */
  async #use(
    loaded: { readonly id: string; readonly source: 'machine' | 'random' },
    before: ReadResult,
  ): Promise<void> {
    const { plain, log } = this.#deps;
    this.#loaded = loaded;
    const isDamaged = before.kind === 'unreadable' && before.why === 'damaged';
    const isForeign = before.kind === 'unreadable' || (before.kind === 'value' && before.isNewer);
    if (isForeign && !isDamaged)
      return log.warn('the stored device id cannot be read or is of a newer version; it is not overwritten');
    if (before.kind === 'value' && before.deviceId === loaded.id && before.source === loaded.source) return;
    if (loaded.source === 'random') await this.#writeConfirmation(loaded.id, null);
    const document = { version: 1, min_reader: 1, deviceId: loaded.id, source: loaded.source };
    try {
      // Otherwise a machine without an id would be a new device at each start.
      if (isDamaged) await plain.setAside(storeName);
      await plain.write(storeName, JSON.stringify(document));
    } catch {
      log.warn('the device id could not be stored');
    }
  }

  async #readMachineId(delaysMs: readonly number[]): Promise<StoreRead> {
    const { machine, clock } = this.#deps;
    let read = await machine.readMachineId();
    for (const delayMs of delaysMs) {
      if (read.kind !== 'unreadable') break;
      await new Promise<void>((resolve) => void clock.setTimer(delayMs, resolve));
      read = await machine.readMachineId();
    }
    return read;
  }

  async #readStored(): Promise<ReadResult> {
    const { plain } = this.#deps;
    const text = await plain.read(storeName);
    if (text.kind === 'value' && deviceId.safeParse(text.value).success) {
      return { kind: 'value', deviceId: text.value, source: null, isNewer: false };
    }
    const read = await readDocument(plain, storeName, storedDeviceId);
    return read.kind === 'value' ? { ...read.value, kind: 'value', isNewer: read.isNewer } : read;
  }
}

/**
 * `source` is `null` in the plain-text format of earlier versions, which did not record whether the random id was in
 * use.
 */
type ReadResult =
  | {
      readonly kind: 'value';
      readonly deviceId: string;
      readonly source: 'machine' | 'random' | null;
      readonly isNewer: boolean;
    }
  | Exclude<StoredDocument<never>, { readonly kind: 'value' }>;

async function hashMachineId(machineId: string, subtle: Pick<Subtle, 'digest'>): Promise<string> {
  const text = new TextEncoder().encode(`${salt}\n${machineId.toWellFormed()}`);
  return formatDeviceId(new Uint8Array(await subtle.digest('SHA-256', text)));
}
