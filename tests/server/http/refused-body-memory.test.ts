/** The memory of a refused body is freed soon after the response. Transport: inject. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { startTestApp } from '../../harness/start-app.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedMb(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

it('a refused body is not kept in memory until the time limit for sending it', async () => {
  const app = await startTestApp();
  const send = () =>
    app.request('POST', '/api/v1/auth/login', {
      headers: { 'content-type': 'application/json' },
      body: '{'.padEnd(1_000_000),
    });
  await send();
  const before = usedMb();
  for (let count = 0; count < 60; count++) expect((await send()).status).toBe(413);
  // A client that is still sending has one second to read the response, and ten to send the body.
  await expect.poll(() => usedMb() - before, { timeout: 8000, interval: 500 }).toBeLessThan(20);
});
