/** Electron's network as the HTTP port, with a fake request that behaves as documented. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  createElectronFetch,
  type NetRequest,
  type ProxyCredentials,
} from '../../../electron/platform/electron-fetch.ts';
import { createHttp } from '../../../electron/platform/http.ts';

class FakeRequest extends EventEmitter {
  readonly options: Electron.ClientRequestConstructorOptions;
  readonly headers: Record<string, string> = {};
  body: string | undefined;
  aborted = false;
  constructor(options: Electron.ClientRequestConstructorOptions) {
    super();
    this.options = options;
  }
  setHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  end(body?: string) {
    this.body = body;
  }
  /** Electron reports an aborted redirect as an error. */
  abort() {
    this.aborted = true;
    this.emit('error', new Error('Redirect was cancelled'));
    this.emit('close');
  }
  respond(statusCode: number, text: string | null, headers: Record<string, string | string[]> = {}) {
    const response = Object.assign(new PassThrough(), { statusCode, headers });
    this.emit('response', response);
    if (text !== null) response.end(text);
  }
}

function setUp(credentials: ProxyCredentials | null = null) {
  const requests: FakeRequest[] = [];
  const request = (options: Electron.ClientRequestConstructorOptions) => {
    const created = new FakeRequest(options);
    requests.push(created);
    return created;
  };
  const http = createHttp(createElectronFetch(request as unknown as NetRequest, () => credentials));
  const send = async (signal?: AbortSignal) => {
    const outcome = http.send({
      method: 'POST',
      url: 'https://licenses.example.com/api',
      headers: { authorization: 'Bearer a', 'content-type': 'application/json' },
      body: '{"a":1}',
      timeoutMs: 2000,
      maxResponseBytes: 100,
      ...(signal && { signal }),
    });
    await new Promise((resolve) => setImmediate(resolve));
    const [sent] = requests;
    if (!sent) throw new Error('nothing was sent');
    return { outcome, sent };
  };
  return { requests, send };
}

describe('a request by Electron', () => {
  it('sends method, headers and body, without cookies and the cache', async () => {
    const { send } = setUp();
    const { outcome, sent } = await send();
    sent.respond(201, '{"ok":true}', { 'x-request-id': 'r1', 'set-cookie': ['a=1', 'b=2'] });
    expect(await outcome).toMatchObject({
      ok: true,
      response: { status: 201, body: '{"ok":true}', headers: { 'x-request-id': 'r1' } },
    });
    expect(sent.options).toMatchObject({
      method: 'POST',
      url: 'https://licenses.example.com/api',
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
    });
    expect(sent.headers).toMatchObject({ authorization: 'Bearer a', 'content-type': 'application/json' });
    expect(sent.body).toBe('{"a":1}');
  });

  it.each([204, 304])('returns a response without a body (%d)', async (status) => {
    const { send } = setUp();
    const { outcome, sent } = await send();
    sent.respond(status, '');
    expect(await outcome).toMatchObject({ ok: true, response: { status, body: '' } });
  });

  it('returns a redirect and does not follow it', async () => {
    const { requests, send } = setUp();
    const { outcome, sent } = await send();
    sent.emit('redirect', 307, 'POST', 'https://elsewhere.example.com/', {
      location: ['https://elsewhere.example.com/'],
    });
    expect(await outcome).toMatchObject({
      ok: true,
      response: { status: 307, headers: { location: 'https://elsewhere.example.com/' } },
    });
    expect(sent.aborted).toBe(true);
    expect(requests).toHaveLength(1);
  });

  it('takes a header that is not Latin-1 as missing: an exception in a listener would be one of the whole app', async () => {
    const { send } = setUp();
    const { outcome, sent } = await send();
    sent.respond(200, '{}', { 'x-proxy': 'caf\uFFFD', 'a b': '1', 'x-request-id': 'r1' });
    expect(await outcome).toEqual({
      ok: true,
      response: { status: 200, body: '{}', headers: { 'x-request-id': 'r1' } },
    });
    const redirected = await setUp().send();
    redirected.sent.emit('redirect', 302, 'GET', 'https://elsewhere.example.com/', { location: ['/\u65E5'] });
    expect(await redirected.outcome).toMatchObject({ ok: true, response: { status: 302, headers: {} } });
  });

  it.each([99, 600, 999])(
    'fails if the status is none (%d), and survives what becomes of the response',
    async (status) => {
      const { send } = setUp();
      const { outcome, sent } = await send();
      sent.respond(status, '{}');
      expect(await outcome).toEqual({ ok: false, reason: 'unreachable', message: 'ERR_INVALID_HTTP_RESPONSE' });
      expect(sent.aborted).toBe(true);
    },
  );

  it.each(['ERR_NAME_NOT_RESOLVED', 'ERR_CERT_AUTHORITY_INVALID', 'ERR_PROXY_CONNECTION_FAILED'])(
    'that fails with %s reports it',
    async (code) => {
      const { send } = setUp();
      const { outcome, sent } = await send();
      sent.emit('error', new Error(`net::${code}`));
      expect(await outcome).toEqual({ ok: false, reason: 'unreachable', message: code });
    },
  );

  it('stops reading a response that is too long, and ends the request', async () => {
    const { send } = setUp();
    const { outcome, sent } = await send();
    sent.respond(200, 'x'.repeat(101));
    expect(await outcome).toMatchObject({ ok: false, reason: 'too-large' });
    expect(sent.aborted).toBe(true);
  });

  it('is canceled by its signal, both while it waits and while it reads', async () => {
    for (const responds of [false, true]) {
      const { send } = setUp();
      const canceling = new AbortController();
      const { outcome, sent } = await send(canceling.signal);
      if (responds) sent.respond(200, null);
      await new Promise((resolve) => setImmediate(resolve));
      canceling.abort();
      sent.emit('aborted');
      expect(await outcome).toMatchObject({ ok: false, reason: 'canceled' });
      expect(sent.aborted).toBe(true);
    }
  });
});

describe('a proxy that requires credentials', () => {
  const proxy = { isProxy: true, scheme: 'basic', host: 'proxy.example', port: 3128, realm: 'office' };

  it('gets those of the environment', async () => {
    const { send } = setUp({ username: 'ada', password: 'secret' });
    const { outcome, sent } = await send();
    let given: (string | undefined)[] = [];
    sent.emit('login', proxy, (...credentials: (string | undefined)[]) => {
      given = credentials;
    });
    sent.respond(200, '{}');
    expect(given).toEqual(['ada', 'secret']);
    expect(await outcome).toMatchObject({ ok: true });
  });

  it('gets them only once, since it would ask forever for wrong ones', async () => {
    const { send } = setUp({ username: 'ada', password: 'wrong' });
    const { outcome, sent } = await send();
    const given: (string | undefined)[] = [];
    const ask = () =>
      sent.emit('login', proxy, (username?: string) => {
        given.push(username);
        if (username === undefined) sent.respond(407, '');
        else ask();
      });
    ask();
    expect(given).toEqual(['ada', undefined]);
    expect(await outcome).toEqual({ ok: false, reason: 'unreachable', message: 'PROXY_AUTHENTICATION' });
  });

  it('and gets none is reported as the cause', async () => {
    const { send } = setUp();
    const { outcome, sent } = await send();
    sent.emit('login', proxy, (...credentials: unknown[]) => {
      expect(credentials).toEqual([undefined, undefined]);
      sent.emit('error', new Error('net::ERR_TUNNEL_CONNECTION_FAILED'));
    });
    expect(await outcome).toEqual({ ok: false, reason: 'unreachable', message: 'PROXY_AUTHENTICATION' });
  });

  it('is not confused with the server, whose request for credentials is left to its response', async () => {
    const { send } = setUp({ username: 'ada', password: 'secret' });
    const { outcome, sent } = await send();
    sent.emit('login', { ...proxy, isProxy: false }, (...credentials: unknown[]) => {
      expect(credentials).toEqual([undefined, undefined]);
    });
    sent.respond(401, '{}');
    expect(await outcome).toMatchObject({ ok: true, response: { status: 401 } });
  });
});
