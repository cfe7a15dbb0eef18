/** A small log file for support: one JSON line per entry, without secrets. The previous file is kept. */
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../licensing/platform.ts';
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
    this.#writing = mkdir(folder, { recursive: true, mode: 0o700 }).then(() => rotate(this.#path));
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

async function rotate(path: string): Promise<void> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size > maxBytes) await rename(path, `${path}.1`);
}
