/** Rate limits over HTTP: how many pass, who is counted together, and what a refusal tells. */
import { describe, expect, it } from 'vitest';
import type { EndpointName } from '../../shared/api/endpoints.ts';
import { formatApiKey } from '../../shared/formats/api-key.ts';
import { envelope } from '../harness/response-shapes.ts';
import type { Answer, CallOptions } from '../harness/test-client.ts';
import { type Service, startedService } from '../harness/use-server.ts';
import { goodPassword, newDeviceId, newEmail } from '../harness/users.ts';

// No setting of a limit is passed on empty, so each limit is at its default. One proxy stands in front, so that
// every case has an address of its own.
const defaults = {
  LATCHKEY_RATE_LOGIN: '',
  LATCHKEY_RATE_SIGNUP: '',
  LATCHKEY_RATE_LICENSE: '',
  LATCHKEY_RATE_KEY_VALIDATE: '',
  LATCHKEY_RATE_DEFAULT: '',
};
const service = startedService({ ...defaults, LATCHKEY_TRUST_PROXY: '1' });

let addresses = 0;

function newAddress(): string {
  addresses += 1;
  return `10.1.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`;
}

function from(address: string): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': address };
}

async function newToken(on: Service = service): Promise<string> {
  const body = { email: newEmail(), password: goodPassword };
  return String((await on.call('signup', { body, headers: from(newAddress()) })).body.access_token);
}

/** The statuses of so many requests, one after the other. */
async function statuses(count: number, ask: () => Promise<Answer>): Promise<number[]> {
  const all: number[] = [];
  for (let turn = 0; turn < count; turn++) all.push((await ask()).status);
  return all;
}

function repeated(status: number, count: number): number[] {
  return Array.from({ length: count }, () => status);
}

function signInFrom(address: string, on: Service = service) {
  return on.call('login', { body: { email: 'nobody@example.com', password: 'x' }, headers: from(address) });
}

/** What an endpoint without authentication is asked, from one address. */
const openRequests: readonly (readonly [EndpointName, number, CallOptions, number])[] = [
  ['login', 5, { body: { email: 'nobody@example.com', password: 'x' } }, 404],
  ['signup', 3, { body: { email: 'nobody', password: 'x' } }, 400],
  ['refresh', 60, { body: { refresh_token: 'x' } }, 401],
  ['logout', 60, { body: { refresh_token: 'x' } }, 200],
  ['validateApiKey', 120, { body: { api_key: formatApiKey('A'.repeat(24)) } }, 200],
  ['installerHashes', 60, {}, 404],
];

describe.each(openRequests)('%s', (name, limit, options, status) => {
  it(`admits ${limit} requests a minute from one address and refuses the next`, async () => {
    const headers = from(newAddress());
    expect(await statuses(limit, () => service.call(name, { ...options, headers }))).toStrictEqual(
      repeated(status, limit),
    );
    const refused = await service.call(name, { ...options, headers });
    expect(refused.status).toBe(429);
    expect(refused.body).toStrictEqual(envelope('RATE_LIMITED'));
    const other = await service.call(name, { ...options, headers: from(newAddress()) });
    expect(other.status, 'another address is not concerned').toBe(status);
  });
});

const device = { device_id: newDeviceId() };
const bearerRequests: readonly (readonly [EndpointName, number, CallOptions, number])[] = [
  ['subscriptionStatus', 60, {}, 200],
  ['heartbeat', 60, { body: device }, 200],
  ['apiKey', 60, {}, 403],
  ['validateLicense', 30, { body: { ...device, license_key: 'x' } }, 200],
  ['activateLicense', 30, { body: { ...device, license_key: 'x' } }, 404],
];

describe.each(bearerRequests)('%s', (name, limit, options, status) => {
  it(`admits ${limit} requests a minute of one account, wherever they come from`, async () => {
    const token = await newToken();
    const ask = () => service.call(name, { ...options, token, headers: from(newAddress()) });
    expect(await statuses(limit, ask)).toStrictEqual(repeated(status, limit));
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.body).toStrictEqual(envelope('RATE_LIMITED'));
  });
});

describe('a count', () => {
  it('is one for all of /license/*', async () => {
    const token = await newToken();
    const headers = from(newAddress());
    const body = { ...device, license_key: 'x' };
    const turn = async () => [
      (await service.call('validateLicense', { token, headers, body })).status,
      (await service.call('activateLicense', { token, headers, body })).status,
      (await service.call('listActivations', { token, headers })).status,
    ];
    for (let round = 0; round < 10; round++) expect(await turn()).toStrictEqual([200, 404, 200]);
    expect(await turn()).toStrictEqual([429, 429, 429]);
    expect((await service.call('releaseActivation', { token, headers, at: 'x' })).status).toBe(429);
  });

  it('is another for each other endpoint', async () => {
    const token = await newToken();
    const headers = from(newAddress());
    expect(await statuses(61, () => service.call('subscriptionStatus', { token, headers }))).toContain(429);
    expect((await service.call('heartbeat', { token, headers, body: device })).status).toBe(200);
    expect((await service.call('apiKey', { token, headers })).status).toBe(403);
    expect(
      (await service.call('validateLicense', { token, headers, body: { ...device, license_key: 'x' } })).status,
    ).toBe(200);
  });

  it('is another for sign-in and for sign-up', async () => {
    const address = newAddress();
    expect(await statuses(6, () => signInFrom(address))).toContain(429);
    const body = { email: newEmail(), password: goodPassword };
    expect((await service.call('signup', { body, headers: from(address) })).status).toBe(200);
  });

  it('is another for each account on one address', async () => {
    const [one, other] = [await newToken(), await newToken()];
    const headers = from(newAddress());
    expect(await statuses(61, () => service.call('subscriptionStatus', { token: one, headers }))).toContain(429);
    expect((await service.call('subscriptionStatus', { token: other, headers })).status).toBe(200);
  });

  it('of a refused token is that of its address, and leaves good tokens there alone', async () => {
    const headers = from(newAddress());
    const rubbish = () => service.call('subscriptionStatus', { token: 'rubbish', headers });
    expect(await statuses(60, rubbish)).toStrictEqual(repeated(401, 60));
    expect((await rubbish()).status).toBe(429);
    const token = await newToken();
    expect((await service.call('subscriptionStatus', { token, headers })).status).toBe(200);
  });

  it('includes requests that were not valid', async () => {
    const headers = from(newAddress());
    const ask = () => service.call('login', { body: '{"email":', headers });
    expect(await statuses(6, ask)).toStrictEqual([...repeated(400, 5), 429]);
  });

  it('is kept when requests come at once: exactly five of twenty sign-ins pass', async () => {
    const address = newAddress();
    const answers = await Promise.all(Array.from({ length: 20 }, () => signInFrom(address)));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  it('is one for a whole IPv6 network of 64 bits', async () => {
    const network = (host: number) => signInFrom(`2001:db8:77:1::${host}`);
    for (let host = 1; host <= 5; host++) expect((await network(host)).status).toBe(404);
    expect((await network(6)).status).toBe(429);
    expect((await signInFrom('2001:db8:77:2::1')).status, 'the next network is another client').toBe(404);
  });

  it('is one for an IPv4 address, however it is written', async () => {
    const spellings = ['192.0.2.77', '::ffff:192.0.2.77', '::ffff:c000:24d'];
    const answers = [];
    for (const address of [...spellings, ...spellings]) answers.push((await signInFrom(address)).status);
    expect(answers).toStrictEqual([...repeated(404, 5), 429]);
  });

  it('is that of the address which the proxy saw, not of one that the client made up', async () => {
    const answers = [];
    for (let turn = 1; turn <= 6; turn++) answers.push((await signInFrom(`203.0.113.${turn}, 192.0.2.88`)).status);
    expect(answers).toStrictEqual([...repeated(404, 5), 429]);
  });
});

describe('a refusal', () => {
  it('names the seconds to wait: a whole number from 1 to 60, the same in both headers', async () => {
    const address = newAddress();
    await statuses(5, () => signInFrom(address));
    const { headers } = await signInFrom(address);
    const wait = headers.get('retry-after') ?? '';
    expect(wait).toMatch(/^[1-9]\d?$/);
    expect(Number(wait)).toBeLessThanOrEqual(60);
    expect(headers.get('ratelimit')).toMatch(new RegExp(`;\\s*t=${wait}\\b`));
  });

  it('never makes the wait longer: the window stays where it began', async () => {
    const address = newAddress();
    await statuses(5, () => signInFrom(address));
    const waits = [];
    for (let turn = 0; turn < 10; turn++) waits.push(Number((await signInFrom(address)).headers.get('retry-after')));
    expect(waits).toStrictEqual([...waits].sort((a, b) => b - a));
  });

  it('of a validation is the plain envelope, without valid', async () => {
    const token = await newToken();
    const body = { ...device, license_key: 'x' };
    let last = await service.call('validateLicense', { token, body });
    while (last.status === 200) last = await service.call('validateLicense', { token, body });
    expect(last.body).toStrictEqual(envelope('RATE_LIMITED'));
  });
});

describe('every answer of a limited endpoint', () => {
  it('tells the policy and what is left', async () => {
    const address = newAddress();
    for (const left of [4, 3, 2, 1, 0, 0]) {
      const { headers } = await signInFrom(address);
      expect(headers.get('ratelimit-policy')).toMatch(/^"[^"]+";\s*q=5;\s*w=60$/);
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"[^"]+";\\s*r=${left};\\s*t=\\d+$`));
    }
  });

  it.each([
    ['login', 5],
    ['signup', 3],
    ['validateApiKey', 120],
    ['refresh', 60],
    ['installerHashes', 60],
    ['subscriptionStatus', 60],
    ['validateLicense', 30],
  ] as const)('names the quota of %s: %i', async (name, quota) => {
    const token = await newToken();
    const headers = from(newAddress());
    const answer = await service.call(name, { token, headers, ...(name.endsWith('s') ? {} : { body: {} }) });
    expect(answer.headers.get('ratelimit-policy')).toContain(`q=${quota}`);
  });
});

describe('health', () => {
  it('is never limited', async () => {
    const headers = from(newAddress());
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, turn) => service.request('GET', turn % 2 ? '/healthz' : '/readyz', { headers })),
    );
    expect(new Set(answers.map(({ status }) => status))).toStrictEqual(new Set([200]));
  });
});

describe('without LATCHKEY_TRUST_PROXY', () => {
  const direct = startedService(defaults);

  it('nobody gets a new count by making up an address', async () => {
    const answers = [];
    for (let turn = 0; turn < 6; turn++) answers.push((await signInFrom(newAddress(), direct)).status);
    expect(answers).toStrictEqual([...repeated(404, 5), 429]);
  });
});

describe('LATCHKEY_RATE_LOGIN', () => {
  const strict = startedService({ ...defaults, LATCHKEY_RATE_LOGIN: '2', LATCHKEY_TRUST_PROXY: '127.0.0.1' });

  it('sets the number for sign-in and for nothing else', async () => {
    const address = newAddress();
    expect(await statuses(3, () => signInFrom(address, strict))).toStrictEqual([404, 404, 429]);
    const { headers } = await strict.call('installerHashes', { headers: from(address) });
    expect(headers.get('ratelimit-policy')).toContain('q=60');
  });
});
