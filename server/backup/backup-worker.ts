/** Starts the process that writes one backup, and ends it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { extname, join } from 'node:path';
import type { BackupOrder, BackupOutcome } from './backup-process.ts';

/** Next to this file, both in the source tree and in the bundle. */
const processFile = join(import.meta.dirname, `backup-process${extname(import.meta.filename)}`);

/** A backup that takes longer is no longer making progress. */
const deadlineMs = 6 * 60 * 60 * 1000;
/** How long the process may take to remove its files, which it cannot do while SQLite copies the database. */
const endTimeoutMs = 2000;
/** User requests take priority. */
const niceness = 10;

export class BackupWorker {
  #process: ChildProcess | undefined;

  /** Resolves with the outcome, even if the process was ended. */
  async run(order: BackupOrder): Promise<BackupOutcome> {
    const child = fork(processFile, [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      timeout: deadlineMs,
      killSignal: 'SIGKILL',
    });
    this.#process = child;
    const { promise, resolve } = Promise.withResolvers<BackupOutcome>();
    child.once('message', (outcome: BackupOutcome) => resolve(outcome));
    child.once('error', (error) => resolve({ problem: `its process could not be started (${error.message})` }));
    child.once('exit', (code, signal) => resolve({ problem: `its process ended early (${signal ?? code})` }));
    child.once('spawn', () => {
      lowerPriority(child);
      child.send(order, () => undefined);
    });
    try {
      return await promise;
    } finally {
      await this.end();
    }
  }

  /** Ends the process, and resolves once it is gone. */
  async end(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  }
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness);
  } catch {
    // The priority only affects how quickly other processes are served.
  }
}
