/** A Redis for the tests, if installed: in a temporary folder, with a password, ended with the suite. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { waitUntilReady } from './wait-until-ready.ts';

export type TestRedis = {
  readonly port: number;
  readonly password: string;
  readonly url: string;
  /** Runs one command on a separate connection. */
  command(...words: string[]): Promise<unknown>;
  stop(): Promise<void>;
};

/** Returns the path of `redis-server`; `undefined` if it is not installed. */
export function findRedis(): string | undefined {
  return findProgram('redis-server');
}

/** Starts Redis on a free loopback port. */
export async function startRedis(program: string): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-redis-'));
  const port = await freePort();
  const password = 'secret-of-this-redis';
  const settings = { port, bind: '127.0.0.1', dir: folder, requirepass: password, save: '', appendonly: 'no' };
  const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = spawn(program, options, { stdio: 'ignore' });
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const command = (...words: string[]) => run(url, words);
  await waitUntilReady(() => command('PING'));
  return {
    port,
    password,
    url,
    command,
    async stop() {
      server.kill('SIGKILL');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function run(url: string, words: string[]): Promise<unknown> {
  const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.sendCommand(words);
  } finally {
    client.destroy();
  }
}
