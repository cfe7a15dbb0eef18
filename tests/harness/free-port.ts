/**
 * Finds a free loopback port for a program that must be told its port before it listens. It is below the range that the
 * system uses for outgoing connections (32768 and up on Linux, 49152 elsewhere), because a connection of another test
 * could take a port in that range before the program starts. Nor does another test get it meanwhile: each worker of a
 * suite has ports of its own, and finds none twice.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above 10080, the highest port that browsers and `fetch` refuse to connect to (Fetch standard, "port blocking"). */
const firstPort = 10_081;
const endOfPorts = 32_768;
/** More than any suite has. */
const maxWorkers = 16;

const found = new Set<number>();

export async function freePort(): Promise<number> {
  const { first, end } = portsOf(workerOf(process.env));
  for (;;) {
    const port = randomInt(first, end);
    if (found.has(port) || !(await isFree(port))) continue;
    found.add(port);
    return port;
  }
}

/** Returns the number of the worker that runs this test, from 0, as Vitest (from 1) or Playwright (from 0) tells it. */
export function workerOf({ VITEST_POOL_ID, TEST_PARALLEL_INDEX }: NodeJS.ProcessEnv): number {
  return (VITEST_POOL_ID === undefined ? Number(TEST_PARALLEL_INDEX ?? 0) : Number(VITEST_POOL_ID) - 1) % maxWorkers;
}

/** Returns the first of the worker's ports, and the end of them. */
export function portsOf(worker: number): { readonly first: number; readonly end: number } {
  const count = Math.floor((endOfPorts - firstPort) / maxWorkers);
  return { first: firstPort + worker * count, end: firstPort + (worker + 1) * count };
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
