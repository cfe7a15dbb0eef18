/** Rate limits: which requests are counted together, and that Retry-After is exact. */
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryRateCounter } from '../../../server/rate-limits/memory-rate-counter.ts';
import { createFakeClock, minute, second } from '../../harness/fake-clock.ts';
import { limitsOn, startTestApp, type TestApp } from '../../harness/start-app.ts';

let service: TestApp;
afterEach(() => service?.close());

const logIn = (from: string) =>
  service.call('POST', '/auth/login', { body: { email: 'nobody@example.com', password: 'x' }, from });
const statuses = async (count: number, call: () => Promise<{ status: number }>) => {
  const seen: number[] = [];
  for (let index = 0; index < count; index++) seen.push((await call()).status);
  return seen;
};

describe('a limited endpoint', () => {
  it('rejects the sixth sign-in of a minute, and allows one after exactly Retry-After seconds', async () => {
    service = await startTestApp(limitsOn);
    expect(await statuses(5, () => logIn('192.0.2.1'))).toEqual([404, 404, 404, 404, 404]);
    service.clock.advance(10.5 * second);
    const rejected = await logIn('192.0.2.1');
    expect(rejected).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' }, headers: { 'retry-after': '50' } });
    service.clock.advance(50 * second - 501);
    expect((await logIn('192.0.2.1')).headers['retry-after']).toBe('1');
    service.clock.advance(501);
    expect((await logIn('192.0.2.1')).status).toBe(404);
  });

  it('says in every response how many requests are left', async () => {
    service = await startTestApp(limitsOn);
    const first = await logIn('192.0.2.1');
    expect(first.headers).toMatchObject({ 'ratelimit-policy': '"login";q=5;w=60', ratelimit: '"login";r=4;t=60' });
    service.clock.advance(20 * second);
    expect((await logIn('192.0.2.1')).headers.ratelimit).toBe('"login";r=3;t=40');
    expect((await service.app.inject('/healthz')).headers.ratelimit).toBeUndefined();
  });

  it('is not affected when the time of day jumps', async () => {
    service = await startTestApp(limitsOn);
    await statuses(5, () => logIn('192.0.2.1'));
    service.clock.setNow(0);
    expect((await logIn('192.0.2.1')).status).toBe(429);
    service.clock.setNow(Date.UTC(2100, 0));
    expect((await logIn('192.0.2.1')).status).toBe(429);
  });

  it('counts IPv6 by /64, and IPv4 written as IPv6 as IPv4', async () => {
    service = await startTestApp(limitsOn);
    await statuses(5, () => logIn('2001:db8:1:2::1'));
    expect((await logIn('2001:0DB8:0001:0002:ffff::9')).status).toBe(429);
    expect((await logIn('2001:db8:1:3::1')).status).toBe(404);
    await statuses(5, () => logIn('::ffff:192.0.2.9'));
    expect((await logIn('192.0.2.9')).status).toBe(429);
  });

  it('counts a signed-in user whatever the address, and users separately', async () => {
    service = await startTestApp({ ...limitsOn, LATCHKEY_RATE_DEFAULT: '2' });
    const [ada, bob] = [await service.signUp(), await service.signUp()];
    const status = (token: string, from: string) => service.call('GET', '/subscription/status', { token, from });
    expect((await status(ada.accessToken, '192.0.2.1')).status).toBe(200);
    expect((await status(ada.accessToken, '192.0.2.2')).status).toBe(200);
    expect((await status(ada.accessToken, '192.0.2.3')).status).toBe(429);
    expect((await status(bob.accessToken, '192.0.2.1')).status).toBe(200);
  });

  it('counts an invalid token against its address', async () => {
    service = await startTestApp({ ...limitsOn, LATCHKEY_RATE_DEFAULT: '2' });
    const user = await service.signUp();
    const status = (token: string) => service.call('GET', '/subscription/status', { token, from: '192.0.2.1' });
    expect(await statuses(3, () => status('forged'))).toEqual([401, 401, 429]);
    expect((await status(user.accessToken)).status).toBe(200);
  });

  it('uses X-Forwarded-For from a trusted proxy only', async () => {
    service = await startTestApp({ ...limitsOn, LATCHKEY_TRUST_PROXY: '192.0.2.1' });
    const via = (proxy: string, client: string) =>
      service.call('POST', '/auth/login', {
        body: { email: 'a@b.example', password: 'x' },
        from: proxy,
        headers: { 'x-forwarded-for': client },
      });
    await statuses(5, () => via('192.0.2.1', '198.51.100.1'));
    expect((await via('192.0.2.1', '198.51.100.1')).status).toBe(429);
    expect((await via('192.0.2.1', '198.51.100.2')).status).toBe(404);
    await statuses(5, () => via('203.0.113.9', '198.51.100.3'));
    expect((await via('203.0.113.9', '198.51.100.4')).status).toBe(429);
  });

  it('uses as many hops as there are proxies', async () => {
    service = await startTestApp({ ...limitsOn, LATCHKEY_TRUST_PROXY: '1' });
    const via = (forwarded: string) =>
      service.call('POST', '/auth/login', {
        body: { email: 'a@b.example', password: 'x' },
        headers: { 'x-forwarded-for': forwarded },
      });
    await statuses(5, () => via('10.9.9.9, 198.51.100.1'));
    expect((await via('10.8.8.8, 198.51.100.1')).status).toBe(429);
    expect((await via('10.9.9.9, 198.51.100.2')).status).toBe(404);
  });
});

describe('the counter', () => {
  it('keeps rejecting a client at its limit during a flood of other addresses', () => {
    const clock = createFakeClock();
    const limiter = new MemoryRateCounter({ clock, capacity: 100 });
    for (let index = 0; index < 6; index++) limiter.take('limited', 5);
    for (let index = 0; index < 10_000; index++) limiter.take(`address ${index}`, 5);
    expect(limiter.take('limited', 5).allowed).toBe(false);
    clock.advance(minute);
    expect(limiter.take('limited', 5)).toMatchObject({ allowed: true, remaining: 4 });
  });

  it('allows exactly as many requests as the limit says, whatever the limit', () => {
    for (const limit of [1, 2, 30, 120]) {
      const limiter = new MemoryRateCounter({ clock: createFakeClock() });
      const allowed = Array.from({ length: 200 }, () => limiter.take('client', limit).allowed);
      expect(allowed.filter(Boolean)).toHaveLength(limit);
    }
  });
});
