/** The log's disk is full, or whoever read the log is gone: the server answers and stops as before. */
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limitsOff } from '../harness/environment.ts';
import { type ServerProcess, type StartOptions, startServer } from '../harness/start-server.ts';
import { temporaryFolder } from '../harness/test-admin.ts';

type Case = { readonly requests: 'notable' | 'all'; readonly workers: string };

const cases: readonly Case[] = (['notable', 'all'] as const).flatMap((requests) =>
  ['1', '2'].map((workers) => ({ requests, workers })),
);

async function start({ requests, workers }: Case, log: StartOptions['log']): Promise<ServerProcess> {
  const settings = { ...limitsOff, LATCHKEY_DATA: temporaryFolder(), LATCHKEY_LOG_REQUESTS: requests };
  const server = await startServer(settings, { args: ['--workers', workers], log });
  onTestFinished(() => void server.kill());
  return server;
}

/** Sends refused requests, each of which is a line, and ends the server. */
async function expectToServeAndStop(server: ServerProcess, requests: number): Promise<void> {
  for (let sent = 0; sent < requests; sent++) {
    const { status } = await fetch(`${server.url}/api/v1/subscription/status`, { headers: { connection: 'close' } });
    expect(status).toBe(401);
  }
  expect(await server.stop()).toEqual({ code: 0, signal: null });
}

describe.each(cases)('a server with $workers workers that logs $requests requests', (testCase) => {
  it('goes on while the reader of its log is gone, and stops', async () => {
    const server = await start(testCase, 'collect');
    server.process.stderr?.destroy();
    // Fewer than fill the buffer, so that its lines are written at the end.
    await expectToServeAndStop(server, 10);
  });

  it.skipIf(!existsSync('/dev/full'))('goes on while the disk of its log is full, and stops', async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    await expectToServeAndStop(await start(testCase, full), 100);
  });
});
