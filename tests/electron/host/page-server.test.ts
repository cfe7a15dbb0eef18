/** The host's page is for the browser that brings the token, and for no other page or program. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { servePage } from '../../../electron/host/page-server.ts';
import { openUploads, type Uploads } from '../../../electron/host/uploads.ts';
import { temporaryFolder } from '../temporary-folder.ts';

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

const asBrowser = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };

async function start() {
  const addresses: string[] = [];
  const sockets: string[] = [];
  const uploads = await openUploads();
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'preload.cjs'), 'require("electron");');
  const server = await servePage({
    port: 0,
    pageUrl: new URL('app://latchkey/index.html'),
    preload: join(folder, 'preload.cjs'),
    uploads,
    answerApp: ({ url }) =>
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
    uploads.removeNow();
  });
  return { addresses, sockets, uploads, address: addresses[0] ?? '' };
}

/** A request as written, so that the headers that a browser guards can be wrong. */
function ask(url: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(url, { method: options.method ?? 'GET', headers: options.headers }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) });
    });
    sent.on('error', reject);
    sent.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: '' });
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
  const { headers } = await ask(host.address, { headers: asBrowser });
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

describe('the address', () => {
  it('works once: the token becomes a cookie that only this server gets and no script can read', async () => {
    const first = await ask(host.address, { headers: asBrowser });
    expect(first).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(first.headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^latchkey-${new URL(origin).port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
    );
    expect(await ask(host.address, { headers: asBrowser })).toMatchObject({ status: 403 });
  });

  it('is not used up by a program that only looks', async () => {
    expect(await ask(host.address)).toMatchObject({ status: 200 });
    expect(await ask(host.address, { method: 'HEAD', headers: asBrowser })).toMatchObject({ status: 200 });
    expect(await ask(host.address, { headers: asBrowser })).toMatchObject({ status: 303 });
  });

  it('leads the browser that has the cookie back in', async () => {
    const cookie = await enter();
    expect(await ask(host.address, { headers: { ...asBrowser, cookie } })).toMatchObject({ status: 303 });
  });

  it('is told anew when a used one comes again, and not when a guess comes', async () => {
    await enter();
    await ask(`${origin}/?token=guess`, { headers: asBrowser });
    expect(host.addresses).toHaveLength(1);
    await ask(host.address, { headers: asBrowser });
    expect(host.addresses).toHaveLength(2);
    expect(await ask(host.addresses[1] ?? '', { headers: asBrowser })).toMatchObject({ status: 303 });
  });
});

describe('the page', () => {
  it('is for nobody without the cookie', async () => {
    for (const path of ['/', '/index.html', '/__host__/preload.js', '/__host__/page/page-socket.ts']) {
      expect(await ask(origin + path, { headers: asBrowser })).toMatchObject({ status: 403 });
    }
    const cookie = `latchkey-${new URL(origin).port}=${'A'.repeat(43)}`;
    expect(await ask(origin, { headers: { ...asBrowser, cookie } })).toMatchObject({ status: 403 });
  });

  it('has the preload before its own scripts, and a policy that opens its own socket only', async () => {
    const cookie = await enter();
    const { body, headers } = await ask(origin, { headers: { ...asBrowser, cookie } });
    expect(body).toMatch(/^<head><script type="module" src="\/__host__\/preload.js">/);
    expect(body).toContain('app://latchkey/index.html');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; connect-src 'self' ws://${new URL(origin).host}`,
    );
  });

  it('is not given under another name, so that a rebound name finds nothing', async () => {
    const cookie = await enter();
    for (const name of ['evil.example', `localhost:${new URL(origin).port}`, '127.0.0.1']) {
      expect(await ask(origin, { headers: { ...asBrowser, cookie, host: name } })).toMatchObject({ status: 403 });
    }
  });

  it('is not given to a page of another port, which shares the cookie', async () => {
    const cookie = await enter();
    for (const site of ['same-site', 'cross-site']) {
      const headers = { cookie, 'sec-fetch-site': site, 'sec-fetch-dest': 'script' };
      expect(await ask(`${origin}/__host__/preload.js`, { headers })).toMatchObject({ status: 403 });
    }
  });

  it('gives none of the host’s other files', async () => {
    const cookie = await enter();
    for (const path of ['../package.json', 'page/../../app.ts', '%2e%2e/app.ts', 'page/', 'page/none.ts']) {
      // A path that leaves the host's folder is a path of the app, which answers for itself.
      const { status, body } = await ask(`${origin}/__host__/${path}`, { headers: { cookie } });
      expect(status === 404 || body.includes('app://latchkey/')).toBe(true);
    }
  });
});

describe('the socket', () => {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };

  it('opens for the page itself', async () => {
    const cookie = await enter();
    const answer = await ask(`${origin}/__host__/socket`, { headers: { ...upgrade, cookie, origin } });
    expect(answer.status).toBe(101);
  });

  it.each([
    ['no origin', {}],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['another name', { origin: 'http://localhost' }],
    ['another site', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
  ])('stays closed for %s', async (_what, headers: Record<string, string>) => {
    const cookie = await enter();
    const answer = await ask(`${origin}/__host__/socket`, { headers: { ...upgrade, cookie, ...headers } });
    expect(answer.status).toBe(403);
    expect(host.sockets).toEqual([]);
  });

  it('stays closed without the cookie, under another host name, and on another path', async () => {
    const cookie = await enter();
    const own = { ...upgrade, origin };
    expect((await ask(`${origin}/__host__/socket`, { headers: own })).status).toBe(403);
    expect((await ask(`${origin}/__host__/socket`, { headers: { ...own, cookie, host: 'a.b' } })).status).toBe(403);
    expect((await ask(`${origin}/socket`, { headers: { ...own, cookie } })).status).toBe(403);
  });
});

describe('a file from the page', () => {
  const id = '00000000-0000-4000-8000-000000000000';

  it('arrives under its own name, in a folder of its own', async () => {
    const cookie = await enter();
    const url = `${origin}/__host__/files/${id}/${encodeURIComponent('my "installer" ü.AppImage')}`;
    expect(await ask(url, { method: 'PUT', headers: { cookie, origin }, body: 'content' })).toMatchObject({
      status: 204,
    });
    expect(readFileSync(join(uploads.folder, id, 'my "installer" ü.AppImage'), 'utf8')).toBe('content');
  });

  it.each(['%2e%2e', '..%2fescape', '.', 'a%2fb', 'a%5cb', '%00'])('is refused under the name %s', async (name) => {
    const cookie = await enter();
    const url = `${origin}/__host__/files/${id}/${name}`;
    const { status } = await ask(url, { method: 'PUT', headers: { cookie, origin }, body: 'content' });
    expect([400, 403, 404, 500]).toContain(status);
  });

  it('is refused from another origin and without the cookie', async () => {
    const cookie = await enter();
    const url = `${origin}/__host__/files/${id}/file`;
    expect(await ask(url, { method: 'PUT', headers: { cookie, origin: 'http://127.0.0.1:1' } })).toMatchObject({
      status: 403,
    });
    expect(await ask(url, { method: 'PUT', headers: { origin } })).toMatchObject({ status: 403 });
  });
});
