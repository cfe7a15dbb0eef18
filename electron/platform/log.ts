/** A small log file for support: one JSON line per entry, without secrets. The previous file is kept. */
import { constants } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { redactFacts, redactText } from '../../shared/formats/redact.ts';
import type { Log } from '../licensing/platform.ts';
import { createFolder } from './create-folder.ts';
import { nonBlocking, readRegularFile } from './read-regular-file.ts';

const maxBytes = 1024 * 1024;
/** Amount written after which the file size is checked again. */
const checkedEveryBytes = 64 * 1024;
const fileName = 'latchkey.log';
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | nonBlocking;

type Facts = Readonly<Record<string, unknown>>;

type FileLogDeps = { readonly folder: string; readonly now: () => number };

/** An entry that cannot be written is dropped. */
export class FileLog implements Log {
  readonly #path: string;
  readonly #now: () => number;
  #writing: Promise<void>;
  #uncheckedBytes = 0;

  constructor({ folder, now }: FileLogDeps) {
    this.#path = join(folder, fileName);
    this.#now = now;
    this.#writing = prepare(folder, this.#path).catch(() => {});
  }

  info(message: string, facts?: Facts): void {
    this.#append('info', message, facts);
  }

  warn(message: string, facts?: Facts): void {
    this.#append('warn', message, facts);
  }

  /** Returns lines of this file and the previous one. */
  readonly recent = async (maxLines: number): Promise<string[]> => {
    await this.flush();
    const read = (path: string) => readRegularFile(path, 2 * maxBytes).then(String, () => '');
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
    await append(this.#path, line);
    this.#uncheckedBytes += line.length;
    if (this.#uncheckedBytes < checkedEveryBytes) return;
    this.#uncheckedBytes = 0;
    await renameIfLarge(this.#path);
  }
}

async function prepare(folder: string, path: string): Promise<void> {
  createFolder(folder);
  await renameIfLarge(path);
}

/** Never writes to a pipe or device; opening a pipe would block. */
async function append(path: string, line: string): Promise<void> {
  const file = await open(path, appending, 0o600);
  try {
    if ((await file.stat()).isFile()) await file.writeFile(line);
  } finally {
    await file.close();
  }
}

/** The next entry then starts a new file. */
async function renameIfLarge(path: string): Promise<void> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size > maxBytes) await rename(path, `${path}.1`);
}
