/** Retry-After is exact: a client that waits that long is allowed again, and not a second earlier. */
import { describe, expect, it } from 'vitest';
import { limitsOn } from '../../harness/environment.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp(limitsOn);

function signInFrom(address: string) {
  const body = { email: 'nobody@example.com', password: 'x' };
  return server.call('login', { body, from: address });
}

async function useUp(address: string, pauseMs: number): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    expect((await signInFrom(address)).status).toBe(404);
    server.clock.advance(pauseMs);
  }
  const rejected = await signInFrom(address);
  expect(rejected.status).toBe(429);
  return Number(rejected.headers.get('retry-after'));
}

describe('Retry-After', () => {
  it.each([
    ['198.51.100.1', 0, 60],
    ['198.51.100.2', 1_000, 55],
    ['198.51.100.3', 1_999, 51],
    ['198.51.100.4', 11_900, 1],
    ['198.51.100.5', 11_999, 1],
  ])('to %s, which made five requests %i ms apart, is the rest of the window', async (address, pauseMs, expected) => {
    expect(await useUp(address, pauseMs)).toBe(expected);
  });

  it.each([
    ['198.51.100.11', 0],
    ['198.51.100.12', 333],
    ['198.51.100.13', 7_777],
    ['198.51.100.14', 11_999],
  ])('is long enough for %s, which made five requests %i ms apart', async (address, pauseMs) => {
    const seconds = await useUp(address, pauseMs);
    server.clock.advance(seconds * 1000);
    expect((await signInFrom(address)).status).toBe(404);
  });

  it('is not too long: a second earlier it is still a 429', async () => {
    const seconds = await useUp('198.51.100.21', 500);
    server.clock.advance((seconds - 1) * 1000);
    expect((await signInFrom('198.51.100.21')).status).toBe(429);
  });

  it('is not affected when the time of day is set', async () => {
    const address = '198.51.100.22';
    const seconds = await useUp(address, 0);
    server.clock.setNow(server.clock.now() + 3_600_000);
    expect((await signInFrom(address)).status).toBe(429);
    server.clock.setNow(server.clock.now() - 7_200_000);
    server.clock.advance(seconds * 1000);
    expect((await signInFrom(address)).status).toBe(404);
  });

  it('starts a whole new window for a client that has waited', async () => {
    const address = '198.51.100.23';
    server.clock.advance((await useUp(address, 0)) * 1000);
    expect(await useUp(address, 0)).toBe(60);
  });
});
