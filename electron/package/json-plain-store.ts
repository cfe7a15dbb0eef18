/** Settings and other small texts that are not secret, in `settings.json` of the profile. */
import { join } from 'node:path';
import { z } from 'zod';
import type { PlainStore, StoreRead } from '../licensing/platform.ts';
import { SerialQueue } from '../licensing/serial-queue.ts';
import {
  isNotFound,
  quarantine,
  removeInterruptedWrites,
  unreadableName,
  writeAtomically,
} from '../platform/atomic-write.ts';
import { readRegularFile } from '../platform/read-regular-file.ts';

type Texts = Readonly<Record<string, string>>;

/** Far more than the settings need. */
const maxFileBytes = 64 * 1024 * 1024;

const settingsFile = z.record(z.string(), z.string());

export type JsonPlainStoreDeps = { readonly folder: string; readonly now: () => number };

/** Changes are written one after another, each durably before it can be read. */
export class JsonPlainStore implements PlainStore {
  readonly #path: string;
  readonly #now: () => number;
  readonly #changes = new SerialQueue();
  #texts: Texts;

  private constructor(path: string, texts: Texts, now: () => number) {
    this.#path = path;
    this.#texts = texts;
    this.#now = now;
  }

  /** Reads the file in the folder, which must exist; one that cannot be parsed is set aside. */
  static async open({ folder, now }: JsonPlainStoreDeps): Promise<JsonPlainStore> {
    const path = join(folder, 'settings.json');
    await removeInterruptedWrites(folder);
    return new JsonPlainStore(path, await readTexts(path, now), now);
  }

  readonly read = async (name: string): Promise<StoreRead> => {
    const value = Object.hasOwn(this.#texts, name) ? this.#texts[name] : undefined;
    return value === undefined ? { kind: 'absent' } : { kind: 'value', value };
  };

  readonly write = (name: string, value: string): Promise<void> =>
    this.#change((texts) => ({ ...texts, [name]: value }));

  readonly setAside = (name: string): Promise<void> =>
    this.#change(({ [name]: value, ...others }) =>
      value === undefined ? null : { ...others, [unreadableName(name, this.#now())]: value },
    );

  #change(changed: (texts: Texts) => Texts | null): Promise<void> {
    return this.#changes.run(async () => {
      const texts = changed(this.#texts);
      if (texts === null) return;
      await writeAtomically(this.#path, JSON.stringify(texts, null, '\t'));
      this.#texts = texts;
    });
  }
}

async function readTexts(path: string, now: () => number): Promise<Texts> {
  try {
    return settingsFile.parse(JSON.parse((await readRegularFile(path, maxFileBytes)).toString()));
  } catch (error) {
    if (!isNotFound(error)) await quarantine(path, now());
    return {};
  }
}
