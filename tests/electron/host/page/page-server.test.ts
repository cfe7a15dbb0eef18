/** The page is available only to the browser that opened its one-time address, not to other pages or programs. */
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { PageServer } from '../../../../electron/host/page/page-server.ts';
import { Uploads } from '../../../../electron/host/page/uploads.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

type Received = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

const entered = { status: 200, body: expect.stringContaining('http-equiv="refresh"') };
const asBrowser = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };

async function start() {
  const addresses: string[] = [];
  const sockets: string[] = [];
  const uploads = await Uploads.open();
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'preload.cjs'), 'require("electron");');
  const server = await PageServer.start({
    port: 0,
    pageUrl: new URL('app://latchkey/index.html'),
    preload: join(folder, 'preload.cjs'),
    uploads,
    handleAppRequest: ({ url }) =>
      new Response(`<head></head>${url}`, {
        headers: { 'content-type': 'text/html', 'content-security-policy': "default-src 'none'; connect-src 'none'" },
      }),
    onAddress: (address) => addresses.push(address),
    onSocket: (incoming, socket) => {
      sockets.push(incoming.headers.origin ?? '');
      socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    },
  });
  onTestFinished(() => {
    server.close();
    uploads.remove();
  });
  return { addresses, sockets, uploads, address: addresses[0] ?? '' };
}

type SendOptions = { method?: string; headers?: Record<string, string>; body?: string; to?: string };

/** Sends a request with any headers, including those that a browser does not let a page set. */
function send(url: string, options: SendOptions = {}) {
  return new Promise<Received>((resolve, reject) => {
    // Unlike browsers, Node does not resolve names below localhost.
    const headers = { host: new URL(url).host, ...options.headers };
    const sent = request(
      url,
      { hostname: options.to ?? '127.0.0.1', method: options.method ?? 'GET', headers },
      async (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) });
      },
    );
    sent.on('error', reject);
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: '' });
    });
    sent.end(options.body);
  });
}

let host: Awaited<ReturnType<typeof start>>;
let origin: string;
let uploads: Uploads;

beforeEach(async () => {
  host = await start();
  origin = new URL(host.address).origin;
  uploads = host.uploads;
});

async function enter(): Promise<string> {
  const { headers } = await send(host.address, { headers: asBrowser });
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

describe('the address', () => {
  it('has its own host name, different in every run', async () => {
    const { hostname } = new URL(origin);
    expect(hostname).toMatch(/^[0-9a-f]{32}\.localhost$/);
    expect(new URL((await start()).address).hostname).not.toBe(hostname);
  });

  it('also belongs to the host on IPv6, where browsers look for it too', async () => {
    const reached = await send(host.address, { headers: asBrowser, to: '::1' }).catch((error: Error) => error.message);
    if (typeof reached === 'string') expect(reached).not.toContain('ECONNREFUSED');
    else expect(reached.status).toBe(200);
  });

  it('works once: the token is exchanged for a cookie that is limited to this host name and unreadable by scripts', async () => {
    const first = await send(host.address, { headers: asBrowser });
    expect(first).toMatchObject({ status: 200, body: expect.stringContaining('content="0; url=/"') });
    expect(first.headers['set-cookie']?.[0]).toMatch(/^latchkey=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(await send(host.address, { headers: asBrowser })).toMatchObject({ status: 403 });
  });

  it('is not used up by a link preview or a probe', async () => {
    for (const options of [{}, { method: 'HEAD', headers: asBrowser }]) {
      const probe = await send(host.address, options);
      expect(probe.status).toBe(200);
      expect(probe.headers['set-cookie']).toBe(undefined);
    }
    expect(await send(host.address, { headers: asBrowser })).toMatchObject(entered);
  });

  it('still works for the browser that has the cookie', async () => {
    const cookie = await enter();
    expect(await send(host.address, { headers: { ...asBrowser, cookie } })).toMatchObject(entered);
  });

  it('is replaced by a new one when a used one is opened, but not after a wrong guess', async () => {
    await enter();
    await send(`${origin}/?token=guess`, { headers: asBrowser });
    expect(host.addresses).toHaveLength(1);
    await send(host.address, { headers: asBrowser });
    expect(host.addresses).toHaveLength(2);
    expect(await send(host.addresses[1] ?? '', { headers: asBrowser })).toMatchObject(entered);
  });
});

describe('the page', () => {
  it('is not sent without the cookie', async () => {
    for (const path of ['/', '/index.html', '/__host__/preload.js', '/__host__/client/page-socket.ts']) {
      expect(await send(origin + path, { headers: asBrowser })).toMatchObject({ status: 403 });
    }
    const cookie = `latchkey=${'A'.repeat(43)}`;
    expect(await send(origin, { headers: { ...asBrowser, cookie } })).toMatchObject({ status: 403 });
  });

  it('loads the preload before its own scripts, and may connect only to its own socket', async () => {
    const cookie = await enter();
    const { body, headers } = await send(origin, { headers: { ...asBrowser, cookie } });
    expect(body).toMatch(/^<head><script type="module" src="\/__host__\/preload.js">/);
    expect(body).toContain('app://latchkey/index.html');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; connect-src 'self' ws://${new URL(origin).host}`,
    );
  });

  it('has the app’s icon, which browsers request by another name', async () => {
    const icon = await send(`${origin}/favicon.ico`, { headers: { cookie: await enter() } });
    expect(icon).toMatchObject({ status: 200, body: expect.stringContaining('app://latchkey/icon.svg') });
  });

  it('is not sent under another host name, as after DNS rebinding', async () => {
    const cookie = await enter();
    const { hostname, port } = new URL(origin);
    for (const name of ['evil.example', `localhost:${port}`, `127.0.0.1:${port}`, '127.0.0.1', hostname]) {
      expect(await send(origin, { headers: { ...asBrowser, cookie, host: name } })).toMatchObject({ status: 403 });
    }
  });

  it('is not sent to a page on another port, which would have the same cookies', async () => {
    const cookie = await enter();
    for (const site of ['same-site', 'cross-site']) {
      const headers = { cookie, 'sec-fetch-site': site, 'sec-fetch-dest': 'script' };
      expect(await send(`${origin}/__host__/preload.js`, { headers })).toMatchObject({ status: 403 });
    }
  });

  it('does not include other files of the host or of its dependencies', async () => {
    const cookie = await enter();
    for (const path of [
      '../package.json',
      'client/../../app.ts',
      '%2e%2e/app.ts',
      'client/',
      'client/none.ts',
      'devalue/package.json',
      'devalue/..%2fpackage.json',
      'devalue/none.js',
    ]) {
      // A path that leaves the host's folder is a path of the app, which has its own checks.
      const { status, body } = await send(`${origin}/__host__/${path}`, { headers: { cookie } });
      expect(status === 404 || body.includes('app://latchkey/')).toBe(true);
    }
  });
});

describe('the socket', () => {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };

  it('opens for the page itself', async () => {
    const cookie = await enter();
    const response = await send(`${origin}/__host__/socket`, { headers: { ...upgrade, cookie, origin } });
    expect(response.status).toBe(101);
  });

  it.each([
    ['no origin', {}],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['another name', { origin: 'http://localhost' }],
    ['another site', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
  ])('does not open for %s', async (_what, headers: Record<string, string>) => {
    const cookie = await enter();
    const response = await send(`${origin}/__host__/socket`, { headers: { ...upgrade, cookie, ...headers } });
    expect(response.status).toBe(403);
    expect(host.sockets).toEqual([]);
  });

  it('does not open without the cookie, under another host name, or on another path', async () => {
    const cookie = await enter();
    const own = { ...upgrade, origin };
    expect((await send(`${origin}/__host__/socket`, { headers: own })).status).toBe(403);
    expect((await send(`${origin}/__host__/socket`, { headers: { ...own, cookie, host: 'a.b' } })).status).toBe(403);
    expect((await send(`${origin}/socket`, { headers: { ...own, cookie } })).status).toBe(403);
  });
});

describe('a connection', () => {
  it('that is reset while its upgrade is rejected does not end the host', async () => {
    const { port } = new URL(origin);
    for (let attempt = 0; attempt < 20; attempt++) {
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write('GET /__host__/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      if (attempt % 2 === 0) await once(socket, 'data');
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    expect(await send(host.address, { headers: asBrowser })).toMatchObject(entered);
  });
});

describe('a file from the page', () => {
  const id = '00000000-0000-4000-8000-000000000000';

  it('is stored under its own name, in its own folder', async () => {
    const cookie = await enter();
    const url = `${origin}/__host__/files/${id}/${encodeURIComponent('my "installer" ü.AppImage')}`;
    expect(await send(url, { method: 'PUT', headers: { cookie, origin }, body: 'content' })).toMatchObject({
      status: 204,
    });
    expect(readFileSync(join(uploads.folder, id, 'my "installer" ü.AppImage'), 'utf8')).toBe('content');
  });

  it('in a folder is stored below that folder', async () => {
    const cookie = await enter();
    const url = `${origin}/__host__/files/${id}/logs/${encodeURIComponent('2026 März')}/app.log`;
    expect(await send(url, { method: 'PUT', headers: { cookie, origin }, body: 'line' })).toMatchObject({
      status: 204,
    });
    expect(readFileSync(join(uploads.folder, id, 'logs', '2026 März', 'app.log'), 'utf8')).toBe('line');
  });

  it.each([
    '%2e%2e',
    'logs/%2e%2e%2f%2e%2e%2fescape',
    'logs/a%2f..%2f..',
    'logs//a',
    '..%2fescape',
    '.',
    'a%2fb',
    'a%5cb',
    '%00',
  ])('is not stored under the name %s', async (name) => {
    const cookie = await enter();
    const url = `${origin}/__host__/files/${id}/${name}`;
    const { status } = await send(url, { method: 'PUT', headers: { cookie, origin }, body: 'content' });
    expect([400, 403, 404, 500]).toContain(status);
  });

  it('is not stored from another origin or without the cookie', async () => {
    const cookie = await enter();
    const url = `${origin}/__host__/files/${id}/file`;
    expect(await send(url, { method: 'PUT', headers: { cookie, origin: 'http://127.0.0.1:1' } })).toMatchObject({
      status: 403,
    });
    expect(await send(url, { method: 'PUT', headers: { origin } })).toMatchObject({ status: 403 });
  });
});
