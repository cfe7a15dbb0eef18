/** The HTTP port over real sockets: every outcome of a request is a value. */
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { HttpRequest } from '../../../electron/licensing/platform.ts';
import { createHttp } from '../../../electron/platform/http.ts';
import { createNodeFetch } from '../../../electron/platform/node-fetch.ts';
import { freePort } from '../../harness/free-port.ts';

const systemHttp = createHttp(createNodeFetch({ environment: {}, authorities: [] }));

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function send(url: string, request: Partial<HttpRequest> = {}) {
  return systemHttp.send({ method: 'GET', url, headers: {}, timeoutMs: 60_000, maxResponseBytes: 1_000, ...request });
}

/** The first request loads the network stack and the system's certificate authorities, within its time limit. */
beforeAll(async () => {
  await send('http://127.0.0.1:1', { timeoutMs: 60_000 });
});

describe('the HTTP port', () => {
  it('sends method, headers and body, and returns status, headers and text', async () => {
    const url = await serve(async (request, response) => {
      const body = await text(request);
      response.writeHead(201, { 'X-Test': 'yes', 'content-type': 'application/json' });
      response.end(JSON.stringify([request.method, request.headers['x-mine'], body]));
    });
    const outcome = await send(url, { method: 'POST', headers: { 'x-mine': '1' }, body: '{"a":1}' });
    expect(outcome).toMatchObject({ ok: true, response: { status: 201, headers: { 'x-test': 'yes' } } });
    expect(outcome.ok && JSON.parse(outcome.response.body)).toEqual(['POST', '1', '{"a":1}']);
  });

  it.each([204, 400, 401, 404, 429, 500, 503])('returns a response with status %d', async (status) => {
    const url = await serve((_request, response) => void response.writeHead(status, { 'retry-after': '7' }).end());
    expect(await send(url)).toMatchObject({
      ok: true,
      response: { status, headers: { 'retry-after': '7' }, body: '' },
    });
  });

  it('does not follow a redirect, so that no token is sent elsewhere', async () => {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await send(url)).toMatchObject({ ok: true, response: { status: 307, headers: { location: '/elsewhere' } } });
    expect(asked).toEqual(['/']);
  });

  it('does not retry by itself', async () => {
    let asked = 0;
    const url = await serve((request) => {
      asked += 1;
      request.socket.destroy();
    });
    expect(await send(url)).toMatchObject({ ok: false, reason: 'unreachable' });
    expect(asked).toBe(1);
  });

  it('stops reading a response that is too long, even if it never ends', async () => {
    const url = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(400)), 5);
      response.on('close', () => clearInterval(timer));
    });
    expect(await send(url)).toMatchObject({ ok: false, reason: 'too-large' });
  });

  it('accepts a response of exactly the maximum size, and not one byte more', async () => {
    const url = await serve((request, response) => void response.end('x'.repeat(Number(request.url?.slice(1)))));
    expect(await send(`${url}/1000`)).toMatchObject({ ok: true });
    expect(await send(`${url}/1001`)).toMatchObject({ ok: false, reason: 'too-large' });
  });

  it('counts the decompressed bytes of a compressed response', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000_000)));
    });
    expect(await send(url)).toMatchObject({ ok: false, reason: 'too-large' });
  });

  it('times out if no response begins', async () => {
    const url = await serve(() => {});
    expect(await send(url, { timeoutMs: 100 })).toEqual({ ok: false, reason: 'timeout', message: 'ETIMEDOUT' });
  });

  it('times out if a response begins and does not end', async () => {
    const url = await serve((_request, response) => void response.write('{'));
    expect(await send(url, { timeoutMs: 150 })).toMatchObject({ ok: false, reason: 'timeout' });
  });

  it('is canceled by its signal, before and during the request', async () => {
    const url = await serve(() => {});
    expect(await send(url, { signal: AbortSignal.abort() })).toMatchObject({ ok: false, reason: 'canceled' });
    const canceling = new AbortController();
    setTimeout(() => canceling.abort(), 50);
    expect(await send(url, { signal: canceling.signal })).toMatchObject({ ok: false, reason: 'canceled' });
  });

  it('reports a refused connection without the address', async () => {
    const outcome = await send(`http://127.0.0.1:${await freePort()}/?secret=1`);
    expect(outcome).toEqual({ ok: false, reason: 'unreachable', message: 'ECONNREFUSED' });
  });

  it('reports a server that does not speak HTTP as unreachable', async () => {
    const server = new Server((socket) => void socket.on('error', () => {}).end('SSH-2.0-hello\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await send(`http://127.0.0.1:${port}`)).toMatchObject({ ok: false, reason: 'unreachable' });
  });
});
