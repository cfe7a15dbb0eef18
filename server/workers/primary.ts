/** The primary process: starts the workers, restarts those that crash or hang, counts requests for all, stops them. */
import cluster, { type Worker } from 'node:cluster';
import module from 'node:module';
import { dirname } from 'node:path';
import { systemClock } from '../clock.ts';
import { StartError } from '../errors.ts';
import { createLog } from '../log.ts';
import { MemoryRateCounter } from '../rate-limits/memory-rate-counter.ts';
import { readConfig } from '../settings/config.ts';
import type { PrimaryMessage, WorkerMessage } from './messages.ts';
import { MetricsGatherer } from './metrics-exchange.ts';
import { decideRestart } from './worker.rules.ts';

/** Time limit for stopping the workers: longer than one may take to stop, see `ServerProcess.stop`. */
const workersTimeoutMs = 11_000;

/** A worker that hangs is killed after 15 to 20 seconds, when all its requests have exceeded their deadlines. */
const pingIntervalMs = 5_000;
const maxUnanswered = 3;

/** Reads the settings. Throws `StartError`. */
export class Primary {
  /** Of the server: known once the first worker listens. */
  address = '';
  /** The result of `ServerProcess.createFirstAdminUrl` when the first worker started. */
  firstAdminUrl: string | undefined;
  readonly #log = createLog(readConfig(process.env));
  readonly #counter = new MemoryRateCounter({ clock: systemClock });
  readonly #metrics = new MetricsGatherer(send);
  readonly #running = new Set<Worker>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #isStopping = false;

  /**
   * Starts that many workers, and resolves to true when all of them listen, or to false if `stop` was called before. The
   * first one brings the database up to date before the others open it. Throws `StartError` if one cannot start.
   */
  async start(count: number): Promise<boolean> {
    // Workers find the program and the compile cache where this process found them.
    cluster.setupPrimary({ exec: process.argv[1], args: process.argv.slice(2) });
    try {
      this.address = await this.#startWorker(0);
      await Promise.all(Array.from({ length: count - 1 }, () => this.#startWorker(0)));
      return true;
    } catch (error) {
      if (this.#isStopping) return false;
      await this.stop();
      throw error;
    }
  }

  /** Lets every worker finish its requests. Those that do not end in time are killed, and the exit code is 1. */
  readonly stop = async (): Promise<void> => {
    this.#isStopping = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    const deadline = setTimeout(() => {
      this.#log.fatal('stopped without waiting any longer: a worker did not end in time');
      process.exitCode = 1;
      for (const worker of this.#running) worker.process.kill('SIGKILL');
    }, workersTimeoutMs);
    await Promise.all([...this.#running].map((worker) => stopWorker(worker)));
    clearTimeout(deadline);
  };

  /** Resolves to the address once the worker listens; rejects with `StartError` if it ends before that. */
  async #startWorker(crashesBefore: number): Promise<string> {
    if (this.#isStopping) throw new StartError('it is stopping');
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const startedAtMs = performance.now();
    let reason = 'it ended before it listened';
    const worker = cluster.fork(cacheEnvironment());
    this.#running.add(worker);
    worker.on('message', (message: WorkerMessage) => {
      switch (message.kind) {
        case 'listening':
          this.firstAdminUrl ??= message.firstAdminUrl;
          this.#watch(worker);
          return resolve(message.address);
        case 'cannot start':
          reason = message.reason;
          return;
        case 'count':
          return this.#count(worker, message);
        case 'gather metrics':
          return this.#metrics.gather(worker, message.number, this.#running);
        case 'metrics':
          return this.#metrics.receive(message);
        case 'pong':
          return;
      }
    });
    // Node replies to a worker that has just ended. Without a listener, that would end this process.
    worker.on('error', () => undefined);
    worker.once('exit', (code, signal) => {
      this.#running.delete(worker);
      reject(new StartError(reason));
      if (this.#isStopping) process.exitCode ||= code === 0 ? 0 : 1;
      else if (this.address !== '') this.#restart(crashesBefore, performance.now() - startedAtMs, signal ?? code);
    });
    return promise;
  }

  /** Kills the worker once it no longer responds. It is not watched while it starts, since a migration may block it. */
  #watch(worker: Worker): void {
    let unanswered = 0;
    worker.on('message', () => {
      unanswered = 0;
    });
    const timer = setInterval(() => {
      if (unanswered++ < maxUnanswered) return send(worker, { kind: 'ping' });
      this.#log.error('a worker does not respond any more and is killed');
      worker.process.kill('SIGKILL');
    }, pingIntervalMs);
    worker.once('exit', () => clearInterval(timer));
  }

  #restart(crashesBefore: number, ranForMs: number, end: string | number): void {
    const { inARow, delayMs } = decideRestart(crashesBefore, ranForMs);
    this.#log.error({ end, delayMs }, 'a worker ended and is started again');
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#startWorker(inARow).catch((error: Error) => {
        if (!this.#isStopping) this.#log.error(`a worker cannot start: ${error.message}`);
      });
    }, delayMs);
    this.#restarts.add(timer);
  }

  #count(worker: Worker, { number, requests }: WorkerMessage & { kind: 'count' }): void {
    const windows = requests.map(([key, limit]) => this.#counter.count(key, limit));
    send(worker, { kind: 'counted', number, windows });
  }
}

async function stopWorker(worker: Worker): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  send(worker, { kind: 'stop' });
  await ended;
}

function send(worker: Worker, message: PrimaryMessage): void {
  // A worker that has ended meanwhile needs no message.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Gives workers the same compile cache. `getCompileCacheDir` returns the subfolder for this version of Node. */
function cacheEnvironment(): Record<string, string> {
  const folder = module.getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
