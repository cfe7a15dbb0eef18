/**
 * Finds a free loopback port for a program that must be told its port before it listens. It is below the range that the
 * system uses for outgoing connections (32768 and up on Linux, 49152 elsewhere), because a connection of another test
 * could take a port in that range before the program starts.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const firstPort = 10_000;
const endOfPorts = 32_768;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, endOfPorts);
    if (await isFree(port)) return port;
  }
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
