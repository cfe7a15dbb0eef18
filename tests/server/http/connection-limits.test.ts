/** Connections of real clients to a server that can have 256 files open: how many it accepts, and which it closes. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify } from 'fastify';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { ConnectionLimiter, decideConnectionLimits } from '../../../server/http/connection-limits.ts';
import { limitsOff, type Settings } from '../../harness/environment.ts';
import { type ServerProcess, startServer } from '../../harness/start-server.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

type Listening = Pick<ServerProcess, 'url'>;

async function start(settings: Settings = {}): Promise<ServerProcess> {
  const all = { ...limitsOff, LATCHKEY_DATA: temporaryFolder(), ...settings };
  const server = await startServer(all, { descriptorLimit: 256 });
  onTestFinished(async () => void (await server.kill()));
  return server;
}

/** Opens a client that never closes its side, and collects what it has read. */
async function open({ url }: Listening, localAddress = '127.0.0.1', bytes = '') {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress, allowHalfOpen: true });
  sockets.push(socket);
  const client = { socket, text: '', isClosed: false };
  socket.setEncoding('utf8').on('data', (text: string) => {
    client.text += text;
  });
  socket.on('error', () => undefined);
  for (const event of ['end', 'close']) {
    socket.once(event, () => {
      client.isClosed = true;
    });
  }
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  if (bytes) socket.write(bytes);
  return client;
}

function openMany(server: Listening, count: number, localAddress = '127.0.0.1', bytes = '') {
  return Promise.all(Array.from({ length: count }, () => open(server, localAddress, bytes)));
}

const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const incomplete =
  'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{';

/** Returns the status line of one request on a new connection. */
async function statusFrom(server: Listening, localAddress: string): Promise<string> {
  const client = await open(server, localAddress, request);
  await expect.poll(() => client.text).toContain('\r\n\r\n');
  return client.text.split('\r\n')[0] ?? '';
}

function descriptorsOf({ process }: ServerProcess): number {
  return readdirSync(`/proc/${process.pid}/fd`).length;
}

describe('the limits', () => {
  it.each([
    [64, { total: 16, perAddress: 16 }],
    [256, { total: 176, perAddress: 44 }],
    [1024, { total: 896, perAddress: 224 }],
    [1_048_576, { total: 20_000, perAddress: 5000 }],
  ])('follow from the number of file descriptors: %i', (descriptors, limits) => {
    expect(decideConnectionLimits(descriptors)).toStrictEqual(limits);
  });
});

describe('a server that allows 2 connections', () => {
  const responses: ServerResponse[] = [];
  let handled = 0;

  /** `/large` sends more than a connection can buffer; `/never` does not respond at all. */
  async function startSmall(): Promise<Listening> {
    const app = fastify({ forceCloseConnections: true });
    onTestFinished(() => app.close());
    responses.length = 0;
    handled = 0;
    app.server.on('request', (_request, response: ServerResponse) => responses.push(response));
    app.get('/large', async () => Buffer.alloc(64 * 1024 * 1024));
    app.get('/medium', async () => Buffer.alloc(32 * 1024));
    app.get('/never', () => {
      handled += 1;
      return new Promise<never>(() => undefined);
    });
    app.get('/healthz', async () => 'ok');
    const limits = { total: 2, perAddress: 2 };
    new ConnectionLimiter({ limits, isTrusted: () => false, isTls: false, clock: systemClock }).watch(app);
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }) };
  }

  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  it('closes the connection with the oldest last request', async () => {
    const server = await startSmall();
    const [used, unused] = [await open(server), await open(server)];
    used.socket.write(request);
    await expect.poll(() => used.text).toContain('200 OK');
    expect(await statusFrom(server, '127.0.0.1')).toBe('HTTP/1.1 200 OK');
    await expect.poll(() => unused.isClosed).toBe(true);
    expect(used.isClosed).toBe(false);
  });

  it('closes an idle connection rather than one whose request is incomplete', async () => {
    const server = await startSmall();
    const sending = await open(server, '127.0.0.1', incomplete);
    await expect.poll(() => responses).toHaveLength(1);
    const idle = await open(server);
    expect(await statusFrom(server, '127.0.0.1')).toBe('HTTP/1.1 200 OK');
    await expect.poll(() => idle.isClosed).toBe(true);
    expect(sending.isClosed).toBe(false);
  });

  it('closes a connection that does not read its responses to make room for a new one', async () => {
    const server = await startSmall();
    const unread = await openMany(server, 2, '127.0.0.1', get('/large').repeat(3));
    for (const { socket } of unread) socket.pause();
    await expect.poll(() => responses.map((response) => response.writableEnded)).toEqual(Array(6).fill(true));
    expect(responses.some((response) => response.writableFinished)).toBe(false);
    expect(await statusFrom(server, '127.0.0.1')).toBe('HTTP/1.1 200 OK');
  });

  it('closes a connection that sends hundreds of requests without reading, and stops handling them', async () => {
    const server = await startSmall();
    const client = await open(server, '127.0.0.1', get('/never').repeat(1500));
    await expect.poll(() => client.isClosed).toBe(true);
    expect(handled).toBeLessThanOrEqual(101);
    expect(await statusFrom(server, '127.0.0.1')).toBe('HTTP/1.1 200 OK');
  });

  it('closes a connection that stops reading its responses, but none that keeps reading, however slowly', async () => {
    const server = await startSmall();
    const [stopped, slow] = await openMany(server, 2, '127.0.0.1', get('/large'));
    if (!stopped || !slow) throw new Error('not opened');
    stopped.socket.pause();
    let received = 0;
    slow.socket.on('data', ({ length }) => {
      received += length;
      slow.socket.pause();
      setTimeout(() => slow.socket.resume(), 50);
    });
    // The client does not notice, since it reads nothing.
    await expect.poll(() => responses[0]?.destroyed).toBe(true);
    const before = received;
    await expect.poll(() => received).toBeGreaterThan(before + 1024 * 1024);
    expect(slow.isClosed).toBe(false);
  });

  it('closes a connection that reads nothing, even if it sends another request from time to time', async () => {
    const server = await startSmall();
    const { socket } = await open(server);
    socket.pause();
    // Fills the buffers of the connection; with any more waiting, Node would not read another request.
    do {
      const { length } = responses;
      socket.write(get('/medium'));
      await expect.poll(() => responses[length]?.writableEnded, { interval: 1 }).toBe(true);
    } while (responses.at(-1)?.writableFinished);
    const unread = responses.at(-1);
    const sending = setInterval(() => socket.write(request), 1500);
    onTestFinished(() => clearInterval(sending));
    await expect.poll(() => unread?.destroyed).toBe(true);
    expect(responses.length - responses.indexOf(unread as ServerResponse)).toBeGreaterThan(4);
  });

  it('does not close a connection while the server takes long to handle its second request', async () => {
    const server = await startSmall();
    const client = await open(server, '127.0.0.1', request + get('/never'));
    await expect.poll(() => responses).toHaveLength(2);
    await sleep(13_000);
    expect(client.isClosed).toBe(false);
    responses[1]?.end();
    await expect.poll(() => client.text.match(/200 OK/g)).toHaveLength(2);
  });

  it('does not close a connection that waits for a response, even if it has not read others', async () => {
    const server = await startSmall();
    const unread = await openMany(server, 2, '127.0.0.1', get('/large') + get('/never'));
    for (const { socket } of unread) socket.pause();
    await expect.poll(() => responses).toHaveLength(4);
    expect(await statusFrom(server, '127.0.0.1')).toBe('HTTP/1.1 503 Service Unavailable');
  });
});

describe.skipIf(process.platform !== 'linux')('a server with 256 descriptors', () => {
  it('still serves a new client while 400 silent connections from many addresses are open', async () => {
    const server = await start();
    for (let address = 1; address <= 10; address++) await openMany(server, 40, `127.0.1.${address}`);
    expect(descriptorsOf(server)).toBeLessThan(256);
    expect(await statusFrom(server, '127.0.0.9')).toBe('HTTP/1.1 200 OK');
  });

  it("serves another address while one has 300 connections, and keeps that address's connection open", async () => {
    const server = await start();
    const other = await open(server, '127.0.0.9', request);
    await expect.poll(() => other.text).toContain('200 OK');
    const many = await openMany(server, 300, '127.0.0.2');
    await expect.poll(() => many.filter(({ isClosed }) => !isClosed).length).toBeLessThanOrEqual(44);
    other.text = '';
    other.socket.write(request);
    await expect.poll(() => other.text).toContain('200 OK');
    expect(await statusFrom(server, '127.0.0.2')).toBe('HTTP/1.1 200 OK');
  });

  it('closes the connection that has been idle longest, not one in use', async () => {
    const server = await start();
    const first = await open(server);
    const used = await open(server, '127.0.0.1', incomplete);
    const many = await openMany(server, 42);
    const newest = await open(server, '127.0.0.1', request);
    await expect.poll(() => newest.text).toContain('200 OK');
    await expect.poll(() => first.isClosed).toBe(true);
    expect([used, ...many].filter(({ isClosed }) => isClosed)).toStrictEqual([]);
  });

  it('closes connections with requests that are never completed', async () => {
    const server = await start();
    await openMany(server, 60, '127.0.0.1', incomplete);
    expect(await statusFrom(server, '127.0.0.1')).toBe('HTTP/1.1 200 OK');
  });

  it('accepts more connections from a trusted proxy than from a client', async () => {
    const server = await start({ LATCHKEY_TRUST_PROXY: '127.0.0.2' });
    const many = await openMany(server, 100, '127.0.0.2');
    expect(await statusFrom(server, '127.0.0.2')).toBe('HTTP/1.1 200 OK');
    expect(many.filter(({ isClosed }) => isClosed)).toStrictEqual([]);
  });

  it.each([
    ['417', 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n\r\n'],
    ['431', `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}`],
    ['400', 'hello\r\n\r\n'],
    ['408', 'GET /healthz HTTP/1.1\r\n'],
    ['408', ''],
  ])('destroys connections that were refused with %s, even if no client closes them', async (status, bytes) => {
    const server = await start();
    const before = descriptorsOf(server);
    const clients = await openMany(server, 40, '127.0.0.1', bytes);
    // Node checks for late requests every few seconds.
    await expect.poll(() => clients.every(({ text }) => text.includes(` ${status} `))).toBe(true);
    // With its next check, after five seconds, Node would destroy some of them by itself.
    await expect.poll(() => descriptorsOf(server), { timeout: 4000 }).toBeLessThanOrEqual(before + 2);
  });
});
