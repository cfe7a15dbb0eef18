/** A small log file for support, one JSON line an entry, without secrets; the one before is kept. */
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../licensing/platform.ts';
import { redactFacts, redactText } from './redact.ts';

const mostBytes = 1024 * 1024;
const fileName = 'latchkey.log';

export type FileLog = Log & {
  /** Fulfilled once everything noted so far is in the file. */
  readonly flushed: () => Promise<void>;
};

/** Logs into a folder; a disk that refuses costs the entry and nothing else. */
export function createFileLog(folder: string, now: () => number): FileLog {
  const path = join(folder, fileName);
  let writing = mkdir(folder, { recursive: true, mode: 0o700 }).then(() => rotate(path));
  const note = (level: 'info' | 'warn', message: string, facts: Readonly<Record<string, unknown>> = {}) => {
    const entry = { at: new Date(now()).toISOString(), level, message: redactText(message), facts: redactFacts(facts) };
    writing = writing.then(() => appendFile(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 })).catch(() => {});
  };
  return {
    info: (message, facts) => note('info', message, facts),
    warn: (message, facts) => note('warn', message, facts),
    flushed: () => writing,
  };
}

async function rotate(path: string): Promise<void> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size > mostBytes) await rename(path, `${path}.1`);
}
