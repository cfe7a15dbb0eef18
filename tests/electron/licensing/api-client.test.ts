/** How calls are sent: the request, the quick retry, and the waits that the server asks for. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ApiClient, type CallOptions } from '../../../electron/licensing/api-client.ts';
import { loadText } from '../../../electron/licensing/load-text.ts';
import { ReachabilityTracker } from '../../../electron/licensing/reachability.ts';
import type { EndpointName } from '../../../shared/api/endpoints.ts';
import type { Failure } from '../../../shared/ipc/result.ts';
import { createFakePlatform, type Reply, settle } from '../fake-platform.ts';
import { errorReply } from './scripted-server.ts';

const here = 'https://license.org';
const elsewhere = 'https://other.org';
const heartbeat = { body: { device_id: 'HW-1', instance: 'i' } } as const;
const beaten = { json: { success: true, timestamp: '2026-03-03T09:00:00.000Z' } };
const unreachable: Reply = { fails: 'unreachable' };

function start(serverAddress: string | null = here) {
  const { http, clock, random, log } = createFakePlatform();
  const preferences = { current: { serverAddress } };
  const stopping = new AbortController();
  const [confirmed, noted]: [unknown[], unknown[]] = [[], []];
  let notified = 0;
  const reachability = new ReachabilityTracker({ activity: { add: () => {} } as never, clock });
  const api = new ApiClient({
    http,
    clock,
    random,
    preferences: preferences as never,
    reachability,
    trustedTime: { confirm: (timeMs: unknown) => void confirmed.push(timeMs) } as never,
    timeline: { addAnswer: (name: string, { kind }: { kind: string }) => void noted.push(`${name} ${kind}`) } as never,
    userAgent: 'Test/1',
    changes: { notify: () => void notified++ } as never,
    signal: stopping.signal,
  });
  return { api, http, clock, log, preferences, stopping, confirmed, noted, reachability, notified: () => notified };
}

describe('a request', () => {
  it('has the path, the body and the headers of its endpoint', async () => {
    const { api, http, stopping } = start();
    const more = { accessToken: 'access-1', language: 'de', idempotencyKey: 'key-1' };
    await api.call('refresh', { body: { refresh_token: 'refresh-1' }, ...more });
    expect(http.requests).toEqual([
      {
        method: 'POST',
        url: `${here}/api/v1/auth/refresh`,
        headers: {
          accept: 'application/json',
          'user-agent': 'Test/1',
          'content-type': 'application/json',
          authorization: 'Bearer access-1',
          'accept-language': 'de',
          'idempotency-key': 'key-1',
        },
        body: '{"refresh_token":"refresh-1"}',
        timeoutMs: 12_000,
        maxResponseBytes: 1024 * 1024,
        signal: stopping.signal,
      },
    ]);
  });

  it('waits 25 s only after the server has needed more than 12 s', async () => {
    const { api, http, clock } = start();
    const limits = () => http.requests.splice(0).map(({ timeoutMs }) => timeoutMs);
    const respond = http.hold('GET /about');
    const slow = api.call('about');
    await clock.advance(12_000);
    respond({ fails: 'timeout' });
    await slow;
    await api.call('features');
    await api.call('features');
    expect(limits()).toEqual([12_000, 25_000, 12_000]);
  });

  it('waits 25 s at an endpoint that has needed more than 12 s, even if the server has been quick elsewhere since', async () => {
    const { api, http, clock } = start();
    const body = { email: 'ada@lab.org', password: 'right' };
    const limitsOf = (path: string) => http.to(path).map(({ timeoutMs }) => timeoutMs);
    const respond = http.hold('POST /auth/login');
    const slow = api.call('login', { body });
    await clock.advance(12_000);
    respond({ fails: 'timeout' });
    await slow;
    await api.call('about');
    await api.call('login', { body });
    await api.call('login', { body });
    expect(limitsOf('/auth/login')).toEqual([12_000, 25_000, 12_000]);
  });

  it.each(['about', 'features'] as const)(
    'waits 12 s at a server that is new, however slow the one before was: %s',
    async (next) => {
      const { api, http, clock } = start();
      const respond = http.hold('GET /about');
      const slow = api.call('about');
      await clock.advance(12_000);
      respond({ fails: 'timeout' });
      await slow;
      api.forgetServer();
      await api.call(next, { once: true });
      expect(http.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([12_000, 12_000]);
    },
  );

  it('has no other headers than those it needs, and more room for a list', async () => {
    const { api, http } = start();
    await api.call('listActivations');
    await api.call('exportAccount');
    await api.call('sessions');
    const [first] = http.requests;
    expect(first?.headers).toStrictEqual({ accept: 'application/json', 'user-agent': 'Test/1' });
    expect(first).not.toHaveProperty('body');
    expect(http.requests.map(({ maxResponseBytes }) => maxResponseBytes / 1024 / 1024)).toEqual([4, 4, 1]);
  });

  it.each([
    ['a/b?c', 'a%2Fb%3Fc'],
    ['\ud800', '%EF%BF%BD'],
  ])('has the parameter %j of its path encoded', async (session_id, encoded) => {
    const { api, http } = start();
    await api.call('endSession', { params: { session_id } });
    expect(http.requests[0]?.url).toBe(`${here}/api/v1/auth/sessions/${encoded}`);
  });

  it('is not sent without a server', async () => {
    const { api, http } = start(null);
    expect(await api.call('about')).toMatchObject({
      kind: 'inconclusive',
      failure: { code: 'SERVER_ADDRESS_INVALID', message: 'No server is chosen yet.' },
    });
    expect(http.requests).toHaveLength(0);
  });
});

describe('a response', () => {
  it('is recorded: the server is online, its time is confirmed, and the window is told', async () => {
    const { api, http, clock, confirmed, noted, reachability, notified } = start();
    http.sendDate(clock.now);
    http.on('POST /heartbeat', beaten);
    expect(await api.call('heartbeat', heartbeat)).toMatchObject({ kind: 'success' });
    expect(confirmed).toEqual([clock.now()]);
    expect(noted).toEqual(['heartbeat success']);
    expect(reachability.state.kind).toBe('online');
    expect(notified()).toBe(1);
  });

  it('that is an error confirms no time', async () => {
    const { api, http, confirmed, reachability } = start();
    http.on('POST /heartbeat', errorReply(403, 'FORBIDDEN'));
    expect(await api.call('heartbeat', heartbeat)).toMatchObject({ kind: 'error' });
    expect(confirmed).toEqual([]);
    expect(reachability.state.kind).toBe('online');
  });

  it('of another server than the current one says nothing about it, and limits nothing', async () => {
    const { api, http, confirmed, noted, reachability, notified } = start();
    http.on('POST /auth/logout', { status: 429, json: { error: 'Wait.', code: 'RATE_LIMITED' } });
    const options = { body: { refresh_token: 'refresh-1' }, serverAddress: elsewhere };
    expect(await api.call('logout', options)).toMatchObject({ failure: { code: 'RATE_LIMITED' } });
    expect(http.requests[0]?.url).toBe(`${elsewhere}/api/v1/auth/logout`);
    expect([confirmed, noted, reachability.state.kind, notified()]).toEqual([
      [],
      ['logout inconclusive'],
      'unknown',
      0,
    ]);
    await api.call('logout', { body: { refresh_token: 'refresh-1' } });
    expect(http.requests).toHaveLength(2);
  });

  it('that arrives after a change of server is not used', async () => {
    const { api, http, preferences, confirmed, reachability } = start();
    const respond = http.hold('POST /heartbeat');
    const call = api.call('heartbeat', heartbeat);
    await settle();
    preferences.current.serverAddress = elsewhere;
    respond({ ...beaten, headers: { date: 'Tue, 03 Mar 2026 09:00:00 GMT' } });
    expect(await call).toMatchObject({
      kind: 'inconclusive',
      failure: { code: 'CANCELED', message: 'The call was canceled.' },
    });
    expect(confirmed).toEqual([]);
    expect(reachability.state.kind).toBe('unknown');
  });

  it.each([
    ['unreachable', 'SERVER_UNREACHABLE', 'The server could not be reached.'],
    ['timeout', 'SERVER_UNREACHABLE', 'The server did not respond in time.'],
    ['too-large', 'SERVER_RESPONSE_INVALID', 'The response is too large to be from the server.'],
    ['canceled', 'CANCELED', 'The call was canceled.'],
  ] as const)('that does not come (%s) is the failure %s', async (fails, code, message) => {
    const { api, http } = start();
    http.cut({ fails });
    const body = { email: 'ada@lab.org', password: 'quiet harbour lantern' };
    expect(await api.call('login', { body })).toMatchObject({ kind: 'inconclusive', failure: { code, message } });
  });

  it.each([
    ['ENOTFOUND', { networkCode: 'ENOTFOUND' }],
    ['connect to https://license.org/?key=secret failed', {}],
    ['ENOTFOUND https://license.org/?key=secret', {}],
    ['secret of ENOTFOUND', {}],
  ])('that does not come has the code of the network stack, but never its text (%s)', async (message, expected) => {
    const { api, http } = start();
    http.cut({ fails: 'unreachable', message });
    const result = await api.call('login', { body: { email: 'ada@lab.org', password: 'quiet harbour lantern' } });
    const { code, networkCode } = (result as { failure: Failure }).failure;
    expect({ code, networkCode }).toEqual({ code: 'SERVER_UNREACHABLE', ...expected });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it.each(['password', 'current_password', 'new_password', 'refresh_token', 'license_key', 'api_key'])(
    'never repeats the %s that was sent, nor the access token',
    async (field) => {
      const { api, http } = start();
      const error = 'Not sent-secret-1, not access-token-1, but shown-name.';
      http.cut({ status: 403, json: { error, code: 'FORBIDDEN' } });
      const body = { [field]: 'sent-secret-1', device_name: 'shown-name' } as never;
      const result = await api.call('login', { body, accessToken: 'access-token-1' });
      expect(result).toMatchObject({ failure: { message: 'Not …, not …, but shown-name.' } });
    },
  );
});

describe('a call without a response', () => {
  async function countSent<N extends EndpointName>(name: N, options: CallOptions<N> = {}): Promise<number> {
    const { api, http, clock } = start();
    http.cut(unreachable);
    const call = api.call(name, options);
    await clock.advance(10_000);
    await call;
    return http.requests.length;
  }

  it.each(['about', 'heartbeat', 'listActivations', 'exportAccount', 'endSession'] as const)(
    'is sent once more if that has the same effect: %s',
    async (name) => expect(await countSent(name)).toBe(2),
  );

  it.each([
    'login',
    'signup',
    'logout',
    'changePassword',
    'changeEmail',
    'sendEmailConfirmation',
    'confirmEmail',
    'deleteOwnAccount',
    'forgotPassword',
    'resetPassword',
    'accountSignIn',
    'accountSession',
    'accountSignOut',
    'replaceLicenseKey',
    'validateApiKey',
    'refresh',
    'apiKey',
  ] as const)('is not sent again if that may have another effect: %s', async (name) => {
    expect(await countSent(name)).toBe(1);
  });

  it('is not sent again if the caller says so', async () => {
    expect(await countSent('about', { once: true })).toBe(1);
  });

  it('is sent again with its idempotency key where the server knows it', async () => {
    const idempotencyKey = 'key-1';
    expect(await countSent('refresh', { idempotencyKey })).toBe(2);
    expect(await countSent('apiKey', { idempotencyKey })).toBe(2);
    expect(await countSent('replaceLicenseKey', { idempotencyKey })).toBe(1);
  });

  it('is sent again after 250 to 500 ms, and not if it took more than 3 s', async () => {
    const { api, http, clock } = start();
    await clock.advance(60_000);
    http.cut(unreachable);
    void api.call('about');
    await clock.advance(374);
    expect(http.requests).toHaveLength(1);
    await clock.advance(1);
    expect(http.requests).toHaveLength(2);
    http.cut(null);
    const respond = http.hold('GET /about');
    const slow = api.call('about');
    await clock.advance(3001);
    respond(unreachable);
    await clock.advance(10_000);
    await slow;
    expect(http.requests).toHaveLength(3);
  });

  it('is not sent again once the client stops, and leaves no timer', async () => {
    const { api, http, clock, stopping } = start();
    http.cut(unreachable);
    const repeated = api.call('about');
    await clock.advance(10_000);
    await repeated;
    expect(getEventListeners(stopping.signal, 'abort')).toHaveLength(0);
    http.requests.length = 0;
    const call = api.call('about');
    await clock.advance(100);
    stopping.abort();
    expect(await call).toMatchObject({ failure: { code: 'SERVER_UNREACHABLE' } });
    expect(await api.call('about')).toMatchObject({ failure: { code: 'SERVER_UNREACHABLE' } });
    expect(http.requests).toHaveLength(2);
    expect(clock.pendingTimers()).toBe(0);
  });
});

describe('a server that asks to wait', () => {
  const limited: Reply = {
    status: 429,
    headers: { 'retry-after': '30' },
    json: { error: 'Wait.', code: 'RATE_LIMITED' },
  };

  it('is not sent calls of that limit until then, but other calls', async () => {
    const { api, http, clock } = start();
    http.cut(limited);
    await api.call('validateLicense', { body: { license_key: 'k', device_id: 'HW-1' } });
    await clock.advance(10_500);
    http.cut(null);
    expect(await api.call('listActivations')).toMatchObject({
      kind: 'inconclusive',
      failure: { code: 'RATE_LIMITED', message: 'The server asked to wait.', retryAfterSeconds: 20 },
    });
    expect(http.requests).toHaveLength(1);
    await api.call('about');
    await api.call('features');
    expect(http.requests).toHaveLength(3);
    await clock.advance(19_500);
    await api.call('listActivations');
    expect(http.requests).toHaveLength(4);
  });

  it('limits each endpoint without a limit of its own by itself, and only until the server changes', async () => {
    const { api, http } = start();
    http.on('GET /about', limited);
    await api.call('about');
    await api.call('features');
    await api.call('about');
    expect(http.requests.map(({ url }) => url.slice(here.length))).toEqual(['/api/v1/about', '/api/v1/features']);
    api.forgetServer();
    await api.call('about');
    expect(http.requests).toHaveLength(3);
  });
});

describe('what is loaded outside the API', () => {
  it('are the lease keys of the named server', async () => {
    const { api, http, noted, stopping } = start();
    http.on('GET /.well-known/jwks.json', { json: { keys: [] } });
    expect(await api.loadLeaseKeys(elsewhere)).toMatchObject({ kind: 'success', response: { keys: [] } });
    expect(http.requests).toEqual([
      {
        method: 'GET',
        url: `${elsewhere}/.well-known/jwks.json`,
        headers: { accept: 'application/json', 'user-agent': 'Test/1' },
        timeoutMs: 12_000,
        maxResponseBytes: 1024 * 1024,
        signal: stopping.signal,
      },
    ]);
    expect(noted).toEqual(['leaseKeys success']);
  });

  it.each<[Reply, object]>([
    [{ text: 'version: 1' }, { kind: 'success', response: 'version: 1', serverTimeMs: null }],
    [
      { status: 404, text: '' },
      { kind: 'unsupported', failure: { code: 'NOT_SUPPORTED_BY_SERVER', message: 'There is none.' } },
    ],
    [
      { status: 429, text: '' },
      { kind: 'inconclusive', failure: { code: 'RATE_LIMITED', retryAfterSeconds: 60 } },
    ],
    [
      { status: 500, text: '' },
      {
        kind: 'inconclusive',
        failure: { code: 'SERVICE_UNAVAILABLE', message: 'The server cannot answer now.' },
      },
    ],
    [
      { status: 499, text: '' },
      {
        kind: 'inconclusive',
        failure: { code: 'SERVER_RESPONSE_INVALID', message: 'The response is not from a license server.' },
      },
    ],
    [
      { text: '<!doctype html><title>Sign in</title>' },
      {
        kind: 'inconclusive',
        failure: {
          code: 'SERVER_UNREACHABLE',
          message: 'A web page responded instead of the server.',
          respondedInstead: { kind: 'web-page', status: 200 },
        },
      },
    ],
    [unreachable, { kind: 'inconclusive', failure: { code: 'SERVER_UNREACHABLE' } }],
  ])('is a text: %j', async (reply, expected) => {
    const { http, clock, stopping } = start();
    http.cut(reply);
    const deps = { http, clock, userAgent: 'Test/1', signal: stopping.signal };
    expect(await loadText(deps, `${here}/updates/latest.yml`)).toMatchObject(expected);
    expect(http.requests).toMatchObject([
      {
        method: 'GET',
        url: `${here}/updates/latest.yml`,
        headers: { accept: '*/*', 'user-agent': 'Test/1' },
        timeoutMs: 12_000,
        maxResponseBytes: 1024 * 1024,
        signal: stopping.signal,
      },
    ]);
  });
});
