/**
 * Rate limits of the endpoints: how many requests are allowed, which ones are counted together, and what a 429 says.
 */
import { describe, expect, it } from 'vitest';
import type { EndpointName } from '../../../shared/api/endpoints.ts';
import { formatApiKey } from '../../../shared/formats/api-key.ts';
import { limitsOn } from '../../harness/environment.ts';
import { second } from '../../harness/fake-clock.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import type { CallOptions, TestResponse } from '../../harness/test-client.ts';
import type { TestServer } from '../../harness/test-server.ts';
import { goodPassword, newDeviceId, newEmail } from '../../harness/users.ts';

// One proxy in front, so that every case has its own address.
const server = sharedApp({ ...limitsOn, LATCHKEY_TRUST_PROXY: '1' });

let addresses = 0;

function newAddress(): string {
  addresses += 1;
  return `10.1.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`;
}

function from(address: string): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': address };
}

async function newToken(on: TestServer = server): Promise<string> {
  const body = { email: newEmail(), password: goodPassword };
  const signedUp = await on.call('signup', { body, headers: from(newAddress()) });
  expect(signedUp.status, signedUp.text).toBe(200);
  return String(signedUp.body.access_token);
}

/** Sends that many requests one after the other, and returns their statuses. */
async function statuses(count: number, send: () => Promise<TestResponse>): Promise<number[]> {
  const all: number[] = [];
  for (let turn = 0; turn < count; turn++) all.push((await send()).status);
  return all;
}

function repeated(status: number, count: number): number[] {
  return Array.from({ length: count }, () => status);
}

function signInFrom(address: string, on: TestServer = server) {
  return on.call('login', { body: { email: 'nobody@example.com', password: 'x' }, headers: from(address) });
}

/** Requests without authentication, from one address. */
const openRequests: readonly (readonly [EndpointName, number, CallOptions, number])[] = [
  ['login', 5, { body: { email: 'nobody@example.com', password: 'x' } }, 404],
  ['signup', 3, { body: { email: 'nobody', password: 'x' } }, 400],
  ['refresh', 60, { body: { refresh_token: 'x' } }, 401],
  ['logout', 60, { body: { refresh_token: 'x' } }, 200],
  ['validateApiKey', 120, { body: { api_key: formatApiKey('A'.repeat(24)) } }, 200],
  ['installerHashes', 60, {}, 404],
];

describe.each(openRequests)('%s', (name, limit, options, status) => {
  it(`allows ${limit} requests a minute from one address and rejects the next`, async () => {
    const headers = from(newAddress());
    expect(await statuses(limit, () => server.call(name, { ...options, headers }))).toStrictEqual(
      repeated(status, limit),
    );
    const rejected = await server.call(name, { ...options, headers });
    expect(rejected.status).toBe(429);
    expect(rejected.body).toStrictEqual(envelope('RATE_LIMITED'));
    const other = await server.call(name, { ...options, headers: from(newAddress()) });
    expect(other.status, 'another address is not affected').toBe(status);
  });
});

const device = { device_id: newDeviceId() };
const bearerRequests: readonly (readonly [EndpointName, number, CallOptions, number])[] = [
  ['subscriptionStatus', 60, {}, 200],
  ['heartbeat', 60, { body: device }, 200],
  ['apiKey', 60, {}, 403],
  ['validateLicense', 30, { body: { ...device, license_key: 'x' } }, 200],
  ['activateLicense', 30, { body: { ...device, license_key: 'x' } }, 404],
  // Takes as long as a sign-in, and adds an entry to the audit log.
  ['exportAccount', 5, {}, 200],
];

describe.each(bearerRequests)('%s', (name, limit, options, status) => {
  it(`allows ${limit} requests a minute per account, wherever they come from`, async () => {
    const token = await newToken();
    const send = () => server.call(name, { ...options, token, headers: from(newAddress()) });
    expect(await statuses(limit, send)).toStrictEqual(repeated(status, limit));
    const rejected = await send();
    expect(rejected.status).toBe(429);
    expect(rejected.body).toStrictEqual(envelope('RATE_LIMITED'));
  });
});

describe('a count', () => {
  it('is shared by all of /license/*', async () => {
    const token = await newToken();
    const headers = from(newAddress());
    const body = { ...device, license_key: 'x' };
    const turn = async () => [
      (await server.call('validateLicense', { token, headers, body })).status,
      (await server.call('activateLicense', { token, headers, body })).status,
      (await server.call('listActivations', { token, headers })).status,
    ];
    for (let round = 0; round < 10; round++) expect(await turn()).toStrictEqual([200, 404, 200]);
    expect(await turn()).toStrictEqual([429, 429, 429]);
    expect((await server.call('releaseActivation', { token, headers, at: 'x' })).status).toBe(429);
  });

  it('is separate for each other endpoint', async () => {
    const token = await newToken();
    const headers = from(newAddress());
    expect(await statuses(61, () => server.call('subscriptionStatus', { token, headers }))).toContain(429);
    expect((await server.call('heartbeat', { token, headers, body: device })).status).toBe(200);
    expect((await server.call('apiKey', { token, headers })).status).toBe(403);
    expect(
      (await server.call('validateLicense', { token, headers, body: { ...device, license_key: 'x' } })).status,
    ).toBe(200);
  });

  it('is separate for sign-in and sign-up', async () => {
    const address = newAddress();
    expect(await statuses(6, () => signInFrom(address))).toContain(429);
    const body = { email: newEmail(), password: goodPassword };
    expect((await server.call('signup', { body, headers: from(address) })).status).toBe(200);
  });

  it('is separate for each account on one address', async () => {
    const [one, other] = [await newToken(), await newToken()];
    const headers = from(newAddress());
    expect(await statuses(61, () => server.call('subscriptionStatus', { token: one, headers }))).toContain(429);
    expect((await server.call('subscriptionStatus', { token: other, headers })).status).toBe(200);
  });

  it('of requests with an invalid token is that of the address, and does not affect valid tokens there', async () => {
    const headers = from(newAddress());
    const rubbish = () => server.call('subscriptionStatus', { token: 'rubbish', headers });
    expect(await statuses(60, rubbish)).toStrictEqual(repeated(401, 60));
    expect((await rubbish()).status).toBe(429);
    const token = await newToken();
    expect((await server.call('subscriptionStatus', { token, headers })).status).toBe(200);
  });

  it('includes invalid requests', async () => {
    const headers = from(newAddress());
    const send = () => server.call('login', { body: '{"email":', headers });
    expect(await statuses(6, send)).toStrictEqual([...repeated(400, 5), 429]);
  });

  it('is exact for concurrent requests: exactly five of twenty sign-ins are allowed', async () => {
    const address = newAddress();
    const responses = await Promise.all(Array.from({ length: 20 }, () => signInFrom(address)));
    expect(responses.filter(({ status }) => status === 404)).toHaveLength(5);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  it('is shared by a whole IPv6 network of 64 bits', async () => {
    const network = (host: number) => signInFrom(`2001:db8:77:1::${host}`);
    for (let host = 1; host <= 5; host++) expect((await network(host)).status).toBe(404);
    expect((await network(6)).status).toBe(429);
    expect((await signInFrom('2001:0DB8:0077:0001:ffff::9')).status, 'spelled differently').toBe(429);
    expect((await signInFrom('2001:db8:77:2::1')).status, 'the next network is another client').toBe(404);
  });
});

describe('a 429 response', () => {
  it('says how many seconds to wait: a whole number from 1 to 60, the same in both headers', async () => {
    const address = newAddress();
    await statuses(5, () => signInFrom(address));
    const { headers } = await signInFrom(address);
    const wait = headers.get('retry-after') ?? '';
    expect(wait).toMatch(/^[1-9]\d?$/);
    expect(Number(wait)).toBeLessThanOrEqual(60);
    expect(headers.get('ratelimit')).toMatch(new RegExp(`;\\s*t=${wait}\\b`));
  });

  it('ends after exactly the seconds of Retry-After', async () => {
    const address = newAddress();
    await statuses(5, () => signInFrom(address));
    server.clock.advance(10.5 * second);
    expect((await signInFrom(address)).headers.get('retry-after')).toBe('50');
    server.clock.advance(50 * second - 501);
    expect((await signInFrom(address)).headers.get('retry-after')).toBe('1');
    server.clock.advance(501);
    expect((await signInFrom(address)).status).toBe(404);
  });

  it('does not prolong the wait: the window keeps its start', async () => {
    const address = newAddress();
    await statuses(5, () => signInFrom(address));
    const waits = [];
    for (let turn = 0; turn < 10; turn++) waits.push(Number((await signInFrom(address)).headers.get('retry-after')));
    expect(waits).toStrictEqual([...waits].sort((a, b) => b - a));
  });

  it('of a validation has the plain error envelope, without valid', async () => {
    const token = await newToken();
    const body = { ...device, license_key: 'x' };
    let last = await server.call('validateLicense', { token, body });
    while (last.status === 200) last = await server.call('validateLicense', { token, body });
    expect(last.body).toStrictEqual(envelope('RATE_LIMITED'));
  });
});

describe('every response of a limited endpoint', () => {
  it('states the policy and the number of requests left', async () => {
    const address = newAddress();
    for (const left of [4, 3, 2, 1, 0, 0]) {
      const { headers } = await signInFrom(address);
      expect(headers.get('ratelimit-policy')).toMatch(/^"[^"]+";\s*q=5;\s*w=60$/);
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"[^"]+";\\s*r=${left};\\s*t=\\d+$`));
    }
  });
});

describe.each([
  ['1001', 1000],
  ['1000100', 1_000_099],
  ['20000000', 19_999_999],
])('a limit of %s', (limit, left) => {
  const generous = sharedApp({ ...limitsOn, LATCHKEY_RATE_KEY_VALIDATE: limit });

  it('states the number of requests left', async () => {
    const { headers } = await generous.call('validateApiKey', { body: { api_key: '' } });
    expect(headers.get('ratelimit')).toBe(`"key_validate";r=${left};t=60`);
  });
});

describe('the seconds in RateLimit', () => {
  it('are those until the window ends', async () => {
    const address = newAddress();
    const limit = async () => (await signInFrom(address)).headers.get('ratelimit');
    expect(await limit()).toBe('"login";r=4;t=60');
    server.clock.advance(20 * second);
    expect(await limit()).toBe('"login";r=3;t=40');
  });
});

describe('the health checks', () => {
  it('are never limited', async () => {
    const headers = from(newAddress());
    const responses = await Promise.all(
      Array.from({ length: 150 }, (_, turn) => server.request('GET', turn % 2 ? '/healthz' : '/readyz', { headers })),
    );
    expect(new Set(responses.map(({ status }) => status))).toStrictEqual(new Set([200]));
    expect(responses[0]?.headers.get('ratelimit')).toBeNull();
  });
});

describe('over HTTP, without LATCHKEY_TRUST_PROXY', () => {
  const direct = sharedHttpServer(limitsOn);

  it('exactly five of twenty concurrent sign-ins are allowed, and a forged address gets no new count', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => signInFrom(newAddress(), direct)));
    expect(responses.filter(({ status }) => status === 404)).toHaveLength(5);
    const rejected = responses.filter(({ status }) => status === 429);
    expect(rejected).toHaveLength(15);
    expect(rejected[0]?.headers.get('ratelimit-policy')).toBe('"login";q=5;w=60');
  });
});

describe('LATCHKEY_RATE_LOGIN', () => {
  const strict = sharedApp({ ...limitsOn, LATCHKEY_RATE_LOGIN: '2', LATCHKEY_TRUST_PROXY: '127.0.0.1' });

  it('sets the limit for sign-in and for nothing else', async () => {
    const address = newAddress();
    expect(await statuses(3, () => signInFrom(address, strict))).toStrictEqual([404, 404, 429]);
    const { headers } = await strict.call('installerHashes', { headers: from(address) });
    expect(headers.get('ratelimit-policy')).toContain('q=60');
  });
});
