/** A small log file for support: one JSON line per entry, without secrets. The previous file is kept. */
import { appendFile, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { redactFacts, redactText } from '../../shared/formats/redact.ts';
import type { Log } from '../licensing/platform.ts';
import { createFolder } from './create-folder.ts';

const maxBytes = 1024 * 1024;
const fileName = 'latchkey.log';

type Facts = Readonly<Record<string, unknown>>;

export type FileLogDeps = { readonly folder: string; readonly now: () => number };

/** An entry that cannot be written is dropped. */
export class FileLog implements Log {
  readonly #path: string;
  readonly #now: () => number;
  #writing: Promise<void>;

  constructor({ folder, now }: FileLogDeps) {
    this.#path = join(folder, fileName);
    this.#now = now;
    this.#writing = open(folder, this.#path).catch(() => {});
  }

  info(message: string, facts?: Facts): void {
    this.#append('info', message, facts);
  }

  warn(message: string, facts?: Facts): void {
    this.#append('warn', message, facts);
  }

  /** From this file and the previous one. */
  readonly recent = async (maxLines: number): Promise<string[]> => {
    await this.flush();
    const read = (path: string) => readFile(path, 'utf8').catch(() => '');
    const texts = [await read(`${this.#path}.1`), await read(this.#path)];
    return texts.flatMap((text) => text.split('\n').filter((line) => line !== '')).slice(-maxLines);
  };

  /** Fulfilled once all entries so far are in the file. */
  flush(): Promise<void> {
    return this.#writing;
  }

  #append(level: 'info' | 'warn', message: string, facts: Facts = {}): void {
    const at = new Date(this.#now()).toISOString();
    const entry = { at, level, message: redactText(message), facts: redactFacts(facts) };
    const line = `${JSON.stringify(entry)}\n`;
    this.#writing = this.#writing.then(() => appendFile(this.#path, line, { mode: 0o600 })).catch(() => {});
  }
}

/** Creates the folder, and starts a new file if the present one is large. */
async function open(folder: string, path: string): Promise<void> {
  createFolder(folder);
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size > maxBytes) await rename(path, `${path}.1`);
}
