/** The name of this device: the host's, or the one that the user has given it. */
import { z } from 'zod';
import type { ChangeNotifier } from './change-notifier.ts';
import type { Log, Machine, PlainStore } from './platform.ts';
import { readDocument } from './stored-document.ts';

const storeName = 'device-name';
const maxLength = 200;

const storedName = z.object({ version: z.literal(1), name: z.string().nullable() });

type DeviceNameDeps = {
  readonly machine: Machine;
  readonly plain: PlainStore;
  readonly log: Log;
  readonly changes: ChangeNotifier;
};

export class DeviceName {
  readonly #deps: DeviceNameDeps;
  #given: string | null = null;
  /** The stored name is unreadable or from a newer version: it is set aside before the first write. */
  #setAsideFirst = false;

  constructor(deps: DeviceNameDeps) {
    this.#deps = deps;
  }

  /** In the form that the API accepts: at most 200 code points of valid Unicode; empty on a machine without a name. */
  get current(): string {
    return this.#given ?? cleanName(this.#deps.machine.deviceName);
  }

  /** The name that the user has given; `null` for the host's. */
  get given(): string | null {
    return this.#given;
  }

  async load(): Promise<void> {
    const { plain, log } = this.#deps;
    const read = await readDocument(plain, storeName, storedName);
    this.#setAsideFirst = read.kind === 'unreadable' || (read.kind === 'value' && read.isNewer);
    if (read.kind === 'unreadable') log.warn('the name of this device cannot be read; that of the host is used');
    if (read.kind === 'value') this.#given = read.value.name;
  }

  /** Takes effect at once; an empty name restores the host's. Rejects if it could not be stored. */
  async change(name: string): Promise<void> {
    const { plain, changes } = this.#deps;
    this.#given = cleanName(name.trim()) || null;
    changes.notify();
    if (this.#setAsideFirst) await plain.setAside(storeName);
    this.#setAsideFirst = false;
    await plain.write(storeName, JSON.stringify({ version: 1, min_reader: 1, name: this.#given }));
  }
}

/** Returns a text in the form that the API accepts for a name. */
export function cleanName(text: string): string {
  return [...text.toWellFormed().replaceAll('\0', '')].slice(0, maxLength).join('');
}
