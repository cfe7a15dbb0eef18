/** Starting other programs, and ending all of them. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** Time for programs that got the terminal's Ctrl-C as well to end by themselves. */
const selfExitTimeoutMs = 1_500;
const sigtermTimeoutMs = 12_000;
const startTimeoutMs = 3_000;

/** Loaded into our Node programs: ends them when this process is gone, however it ended. */
const endWithParent = `data:text/javascript,${encodeURIComponent(
  `process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')); process.channel?.unref();`,
)}`;

export class ChildProcesses {
  readonly #running = new Set<ChildProcess>();

  start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    const child = spawn(command, args, options);
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    child.once('error', () => this.#running.delete(child));
    return child;
  }

  /** Starts a program of this repository with its output as `stdout`; it ends when this process does. */
  startNode(
    args: readonly string[],
    options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly stderr: 'pipe' | 'inherit' },
  ): ChildProcess {
    return this.start(process.execPath, ['--import', endWithParent, ...args], {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', 'pipe', options.stderr, 'ipc'],
    });
  }

  /** Ends all programs. After a `SIGINT` from the terminal they first get the time to end by themselves. */
  async end(after: 'SIGINT' | 'other'): Promise<void> {
    const allEnded = this.#waitForAll();
    if (after === 'SIGINT') await Promise.race([allEnded, delay(selfExitTimeoutMs)]);
    this.#signalAll('SIGTERM');
    await Promise.race([allEnded, delay(sigtermTimeoutMs)]);
    this.#signalAll('SIGKILL');
  }

  async #waitForAll(): Promise<void> {
    while (this.#running.size > 0) await delay(25);
  }

  #signalAll(signal: NodeJS.Signals): void {
    for (const child of this.#running) child.kill(signal);
  }
}

/** The part of the program's output that the pattern matches first; rejects if the program ends before. */
export function waitForOutput(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match) resolve(match[0]);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`it exited with ${code ?? signal}`)));
  });
}

/**
 * Whether the program is still running after a few seconds, or how it ended before that: `done` if it had nothing to do
 * (it passed its work on to an instance of it that was running already), `failed` if it cannot run here.
 */
export async function waitForStart(child: ChildProcess): Promise<'running' | 'done' | 'failed'> {
  const exited = waitForEnd(child).then(
    () => 'done' as const,
    () => 'failed' as const,
  );
  return Promise.race([exited, delay(startTimeoutMs).then(() => 'running' as const)]);
}

const signalsToStop: readonly unknown[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Fulfilled when the program has ended by itself or was asked to; rejects with how it ended if it crashed. */
export async function waitForEnd(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const { exitCode, signalCode } = child;
  if (exitCode !== 0 && !signalsToStop.includes(signalCode)) throw new Error(signalCode ?? `exit code ${exitCode}`);
}
