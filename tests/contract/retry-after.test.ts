/** Retry-After is true: a client that waits exactly so long is admitted, and not a moment earlier. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitsOn, startTestApp, type TestApp } from '../harness/start-app.ts';

let service: TestApp;

beforeAll(async () => {
  service = await startTestApp(limitsOn);
});

afterAll(async () => {
  await service.close();
});

function signInFrom(address: string) {
  const body = { email: 'nobody@example.com', password: 'x' };
  return service.call('POST', '/auth/login', { body, from: address });
}

async function useUp(address: string, pauseMs: number): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    expect((await signInFrom(address)).status).toBe(404);
    service.clock.advance(pauseMs);
  }
  const refused = await signInFrom(address);
  expect(refused.status).toBe(429);
  return Number(refused.headers['retry-after']);
}

describe('Retry-After', () => {
  it.each([
    ['198.51.100.1', 0, 60],
    ['198.51.100.2', 1_000, 55],
    ['198.51.100.3', 1_999, 51],
    ['198.51.100.4', 11_900, 1],
    ['198.51.100.5', 11_999, 1],
  ])(
    'to %s, which made five requests %i ms apart, is what is left of the window',
    async (address, pauseMs, expected) => {
      expect(await useUp(address, pauseMs)).toBe(expected);
    },
  );

  it.each([
    ['198.51.100.11', 0],
    ['198.51.100.12', 333],
    ['198.51.100.13', 7_777],
    ['198.51.100.14', 11_999],
  ])('is long enough for %s, which made five requests %i ms apart', async (address, pauseMs) => {
    const seconds = await useUp(address, pauseMs);
    service.clock.advance(seconds * 1000);
    expect((await signInFrom(address)).status).toBe(404);
  });

  it('is not too long: a second earlier it still refuses', async () => {
    const seconds = await useUp('198.51.100.21', 500);
    service.clock.advance((seconds - 1) * 1000);
    expect((await signInFrom('198.51.100.21')).status).toBe(429);
  });

  it('is not changed by someone who sets the clock', async () => {
    const address = '198.51.100.22';
    const seconds = await useUp(address, 0);
    service.clock.setNow(service.clock.now() + 3_600_000);
    expect((await signInFrom(address)).status).toBe(429);
    service.clock.setNow(service.clock.now() - 7_200_000);
    service.clock.advance(seconds * 1000);
    expect((await signInFrom(address)).status).toBe(404);
  });

  it('gives a whole new window to who has waited', async () => {
    const address = '198.51.100.23';
    service.clock.advance((await useUp(address, 0)) * 1000);
    expect(await useUp(address, 0)).toBe(60);
  });
});
