/** Programs that are told their ports start at the same time in several workers, and must not be told the same one. */
import { expect, it } from 'vitest';
import { freePort, portsOf, workerOf } from '../harness/free-port.ts';

it('no worker of a suite finds a port of another one', () => {
  const vitest = [1, 2, 3].map((id) => portsOf(workerOf({ VITEST_POOL_ID: `${id}` })));
  const playwright = [0, 1, 2].map((index) => portsOf(workerOf({ TEST_PARALLEL_INDEX: `${index}` })));
  for (const [first, second, third] of [vitest, playwright]) {
    expect(first?.end).toBeLessThanOrEqual(second?.first ?? 0);
    expect(second?.end).toBeLessThanOrEqual(third?.first ?? 0);
  }
  expect(vitest).toEqual(playwright);
});

it('a port that a program was told and does not use yet is not found again', async () => {
  const { first, end } = portsOf(workerOf(process.env));
  const ports = new Set<number>();
  for (let count = 0; count < 200; count++) ports.add(await freePort());
  expect(ports.size).toBe(200);
  for (const port of ports) expect(port >= first && port < end).toBe(true);
});

it('no worker finds port 10080, the highest one that browsers and fetch refuse to connect to', async () => {
  await expect(fetch('http://127.0.0.1:10080/')).rejects.toMatchObject({ cause: { message: 'bad port' } });
  expect(portsOf(0).first).toBeGreaterThan(10_080);
});
