/**
 * A port of the loopback address for a program that must be told its port before it listens. It lies below the range from
 * which the system takes the ports of outgoing connections (32768 and up on Linux, 49152 elsewhere): of those, any
 * connection of another test can take one before the program starts.
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
