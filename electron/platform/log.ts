/** A small log file for support: one JSON line per entry, without secrets. The previous file is kept. */
import { appendFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../licensing/platform.ts';
import { createFolder } from './create-folder.ts';
import { redactFacts, redactText } from './redact.ts';

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
