/** A small log file for support: one JSON line per entry, without secrets. The previous file is kept. */
import { appendFile, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { redactFacts, redactText } from '../../shared/formats/redact.ts';
import type { Log } from '../licensing/platform.ts';
import { createFolder } from './create-folder.ts';

const maxBytes = 1024 * 1024;
/** After so much was written, the size of the file is looked at again. */
const checkedEveryBytes = 64 * 1024;
const fileName = 'latchkey.log';

type Facts = Readonly<Record<string, unknown>>;

export type FileLogDeps = { readonly folder: string; readonly now: () => number };

/** An entry that cannot be written is dropped. */
export class FileLog implements Log {
  readonly #path: string;
  readonly #now: () => number;
  #writing: Promise<void>;
  #uncheckedBytes = 0;

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
    this.#writing = this.#writing.then(() => this.#write(line)).catch(() => {});
  }

  async #write(line: string): Promise<void> {
    await appendFile(this.#path, line, { mode: 0o600 });
    this.#uncheckedBytes += line.length;
    if (this.#uncheckedBytes < checkedEveryBytes) return;
    this.#uncheckedBytes = 0;
    await renameIfLarge(this.#path);
  }
}

async function open(folder: string, path: string): Promise<void> {
  createFolder(folder);
  await renameIfLarge(path);
}

/** The next entry starts a new file then. */
async function renameIfLarge(path: string): Promise<void> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size > maxBytes) await rename(path, `${path}.1`);
}
