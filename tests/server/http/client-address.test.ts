/** A client's address behind proxies: rate limits count the same address, however a proxy writes it. */
import { describe, expect, it } from 'vitest';
import { limitsOn } from '../../harness/environment.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { newStaff } from '../../harness/staff.ts';
import { sharedApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import type { TestServer } from '../../harness/test-server.ts';
import { goodPassword, signUp, subscriber } from '../../harness/users.ts';

const behindOne = sharedApp({ ...limitsOn, LATCHKEY_TRUST_PROXY: '1' });
const behindTwo = sharedApp({ ...limitsOn, LATCHKEY_TRUST_PROXY: '2' });
const behindNetwork = sharedApp({ ...limitsOn, LATCHKEY_TRUST_PROXY: '10.0.0.0/8,2001:db8:f::/48' });
const direct = sharedApp(limitsOn);

/** Returns the statuses of logins with these X-Forwarded-For headers, in order. */
async function logIns(on: TestServer, forwarded: readonly string[], from?: string): Promise<number[]> {
  const statuses = [];
  for (const header of forwarded) {
    const body = { email: 'nobody@example.com', password: 'x' };
    const source = from === undefined ? {} : { from };
    const response = await on.call('login', { body, headers: { 'x-forwarded-for': header }, ...source });
    statuses.push(response.status);
  }
  return statuses;
}

const fiveOfSix = [404, 404, 404, 404, 404, 429];
const six = (write: (port: number) => string) => Array.from({ length: 6 }, (_, index) => write(40_000 + index));

describe('a client counts as a single client', () => {
  it.each([
    ['with a port', (port: number) => `192.0.2.1:${port}`],
    ['as IPv6 with brackets and a port', (port: number) => `[2001:db8:1::1]:${port}`],
    ['as IPv6 with brackets', (port: number) => `[2001:db8:2::${port % 10}]`],
    ['as IPv6 with a zone', (port: number) => `fe80::1%eth${port}`],
    ['as IPv6 with brackets, zone and port', (port: number) => `[fe80:0:0:1::1%eth${port}]:${port}`],
    ['as IPv4 in IPv6 with a port', (port: number) => `[::ffff:192.0.2.3]:${port}`],
    ['with spaces around it', (port: number) => `${' '.repeat(port % 10)}192.0.2.4:${port} `],
  ])('%s', async (_, write) => {
    expect(await logIns(behindOne, six(write))).toStrictEqual(fiveOfSix);
  });

  it('even if it adds made-up entries in front', async () => {
    const forwarded = six((port) => `203.0.113.${port % 10}:${port}, 192.0.2.6:${port}`);
    expect(await logIns(behindOne, forwarded)).toStrictEqual(fiveOfSix);
  });

  it('even behind two proxies, the second of which adds ports', async () => {
    const forwarded = six((port) => `198.51.100.1, 192.0.2.7, 10.0.0.${port % 10}:${port}`);
    expect(await logIns(behindTwo, forwarded)).toStrictEqual(fiveOfSix);
  });

  it('even if a trusted proxy is recognized by its address, written with a port', async () => {
    const forwarded = six((port) => `198.51.100.2, 192.0.2.8:${port}, [2001:db8:f::1]:${port}, 10.1.0.1:${port}`);
    expect(await logIns(behindNetwork, forwarded, '10.2.0.1')).toStrictEqual(fiveOfSix);
  });
});

describe('a proxy that is not trusted', () => {
  const countWarnings = (app: TestApp) => app.logText().match(/LATCHKEY_TRUST_PROXY does not name it/g)?.length ?? 0;

  it.each([
    ['without the setting', {}],
    ['with the address of another proxy', { LATCHKEY_TRUST_PROXY: '10.9.9.9' }],
  ])('is logged once with its address: %s', async (_, settings) => {
    const app = await startTestApp({ ...limitsOn, ...settings });
    await logIns(app, ['192.0.2.1', '192.0.2.2'], '10.2.0.1');
    expect(countWarnings(app)).toBe(1);
    expect(app.logText()).toContain('"proxy":"10.2.0.1"');
  });

  it('is not assumed for a client with a public address, nor for a proxy that is trusted', async () => {
    const app = await startTestApp({ ...limitsOn, LATCHKEY_TRUST_PROXY: '10.0.0.0/8' });
    await logIns(app, ['192.0.2.1'], '8.8.8.8');
    await logIns(app, ['192.0.2.1'], '10.2.0.1');
    expect(countWarnings(app)).toBe(0);
  });
});

describe('an invalid address', () => {
  it.each(['unknown', '_hidden', '192.0.2.1:port', '127.1', '[192.0.2.1]:80', '1.2.3.4:5:6', 'x'.repeat(100), ' ,'])(
    'counts as the proxy that forwarded it: %j',
    async (garbage) => {
      const server = await startTestApp({ ...limitsOn, LATCHKEY_TRUST_PROXY: '10.0.0.1' });
      const forwarded = six((port) => `203.0.113.${port % 10}, ${garbage}`);
      expect(await logIns(server, forwarded, '10.0.0.1')).toStrictEqual(fiveOfSix);
      expect(await logIns(server, ['192.0.2.9'], '10.0.0.1')).toStrictEqual([404]);
    },
  );

  it('is logged once, without its value, and only if a trusted proxy forwarded it', async () => {
    const server = await startTestApp({ LATCHKEY_TRUST_PROXY: '1' });
    const warnings = (on: TestApp) =>
      on
        .logText()
        .split('\n')
        .filter((line) => line.includes('X-Forwarded-For'));
    await logIns(server, ['rubbish, 192.0.2.1', '192.0.2.1']);
    expect(warnings(server)).toStrictEqual([]);
    await logIns(server, ['rubbish-1', 'rubbish-2', '']);
    expect(warnings(server)).toHaveLength(1);
    expect(JSON.parse(warnings(server)[0] ?? '')).toMatchObject({ level: 40 });
    expect(server.logText()).not.toContain('rubbish');
  });
});

it('without LATCHKEY_TRUST_PROXY the header is ignored', async () => {
  expect(
    await logIns(
      direct,
      six((port) => `192.0.2.${port % 10}`),
    ),
  ).toStrictEqual(fiveOfSix);
});

it('only a trusted proxy can say that the browser used https, and under which host name', async () => {
  const { email } = await newStaff(behindNetwork, 'owner');
  const signIn = async (from: string) => {
    const headers = { origin: 'https://licenses.example.com', 'x-forwarded-proto': 'https' };
    const body = { email, password: goodPassword };
    const forwarded = { ...headers, 'x-forwarded-host': 'licenses.example.com' };
    return await behindNetwork.call('staffSignIn', { body, headers: forwarded, from });
  };
  expect((await signIn('10.2.0.2')).headers.get('set-cookie')).toMatch(/^__Host-/);
  expect((await signIn('192.0.2.77')).status).toBe(403);
});

it('heartbeats record networks without ports', async () => {
  const server = await startTestApp({ LATCHKEY_TRUST_PROXY: '1' });
  const { token } = await subscriber(server);
  const body = { device_id: 'HW-00000000-00000000-00000000-00000001' };
  for (const entry of ['192.0.2.1:1000', '192.0.2.99:1001', '[2001:db8:1:1::1]:1', '2001:db8:1:2::1']) {
    expect((await server.call('heartbeat', { token, body, headers: { 'x-forwarded-for': entry } })).status).toBe(200);
  }
  const rows = await server.database.read.selectFrom('device_activity').select('network').orderBy('network').execute();
  expect(rows.map(({ network }) => network)).toStrictEqual(['192.0.2.0/24', '2001:db8:1::/48']);
});

describe('over HTTP', () => {
  const server = sharedHttpServer({ ...limitsOn, LATCHKEY_TRUST_PROXY: '127.0.0.1' });

  it('twenty logins of one client from twenty ports share its limit of five', async () => {
    await signUp(server);
    const entries = Array.from({ length: 20 }, (_, index) => `192.0.2.1:${50_000 + index}`);
    const statuses = await logIns(server, entries);
    expect(statuses.filter((status) => status === 404)).toHaveLength(5);
    const last = await server.call('login', { body: {}, headers: { 'x-forwarded-for': '192.0.2.1:1' } });
    expect(last.body).toStrictEqual(envelope('RATE_LIMITED'));
  });
});
