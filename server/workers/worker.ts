/** A worker: one of several processes that share a port and a database. The primary process starts and stops it. */
import cluster from 'node:cluster';
import { describeStartFailure } from '../database/database-errors.ts';
import { startServerProcess } from '../server-process.ts';
import type { PrimaryMessage, WorkerMessage } from './messages.ts';
import { MetricsExchange } from './metrics-exchange.ts';
import { PrimaryRateStore } from './primary-rate-store.ts';

/** Runs the worker, and reports to the primary whether it listens. If the primary is gone, Node ends the process. */
export async function runWorker(): Promise<void> {
  const rateStore = new PrimaryRateStore(send);
  const metricsExchange = new MetricsExchange(send);
  // Until it listens there is nothing to finish.
  let stop = async (): Promise<void> => process.exit();
  process.on('message', (message: PrimaryMessage) => {
    switch (message.kind) {
      case 'counted':
        return rateStore.receive(message);
      case 'stop':
        return void stop();
      case 'ping':
        return send({ kind: 'pong' });
      case 'report metrics':
      case 'gathered metrics':
        return void metricsExchange.receive(message);
    }
  });
  // Without a listener, a message to a primary that is gone would print a stack trace before the end.
  cluster.worker?.on('error', () => process.exit(1));
  process.on('SIGTERM', () => void stop());
  // Ctrl-C and the end of a terminal reach every process in it, but the primary decides when to stop.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  try {
    const number = cluster.worker?.id ?? 0;
    const server = await startServerProcess({ number, rateStore, metricsChannel: metricsExchange });
    let stopping: Promise<void> | undefined;
    stop = () => {
      stopping ??= server.stop().then(() => process.disconnect());
      return stopping;
    };
    const firstAdminUrl = number === 1 ? await server.createFirstAdminUrl() : undefined;
    send({ kind: 'listening', address: server.address, firstAdminUrl });
  } catch (error) {
    send({ kind: 'cannot start', reason: describeStartFailure(error) });
    process.disconnect();
  }
}

/** Sends a message. It fails only if the primary is gone, so failures are ignored. */
function send(message: WorkerMessage): void {
  process.send?.(message, () => undefined);
}
