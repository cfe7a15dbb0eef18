/** Starts other programs, and ends all of them. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** How long programs may take to end by themselves after Ctrl-C, which reaches every program of the terminal. */
const selfExitTimeoutMs = 1_500;
const sigtermTimeoutMs = 12_000;
const startTimeoutMs = 3_000;

/** A module preloaded by our Node programs: it ends them when this process has ended, even if it was killed. */
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

  /**
   * Starts a Node program that ends when this process does. Its standard output is available as `stdout` of the child.
   */
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

  /** Ends all programs, forcibly if needed. After Ctrl-C (`SIGINT`) they may first end by themselves. */
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

/** Waits for output that matches the pattern; resolves to the match, or rejects if the program ends first. */
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
 * Waits a few seconds: `running` if the program is still running, `done` if it has succeeded (e.g. a browser that
 * passed the page to a running instance), `failed` if it could not start or has crashed.
 */
export async function waitForStart(child: ChildProcess): Promise<'running' | 'done' | 'failed'> {
  const exited = waitForEnd(child).then(
    () => 'done' as const,
    () => 'failed' as const,
  );
  return Promise.race([exited, delay(startTimeoutMs).then(() => 'running' as const)]);
}

const signalsToStop: readonly unknown[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Resolves when the program has succeeded or was stopped by a signal; otherwise rejects with how it ended. */
export async function waitForEnd(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const { exitCode, signalCode } = child;
  if (exitCode !== 0 && !signalsToStop.includes(signalCode)) throw new Error(signalCode ?? `exit code ${exitCode}`);
}
