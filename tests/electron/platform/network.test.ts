/** The network port over real sockets: pending work ends with its signal, and it never rejects. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProxyRoute } from '../../../electron/licensing/platform.ts';
import { createNetwork } from '../../../electron/platform/network.ts';

const direct: ProxyRoute = { kind: 'direct' };
const network = createNetwork({ authorities: [], findProxy: async () => null, findCredentials: () => null });

/** Accepts connections and sends nothing. */
async function startSilent() {
  const server = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const connected = once(server, 'connection').then(([socket]) => socket as Socket);
  return { connected, port: (server.address() as AddressInfo).port };
}

const proxyAt = (port: number): ProxyRoute => ({ kind: 'proxy', protocol: 'http', host: '127.0.0.1', port });

describe('an aborted measurement', () => {
  it.each([
    ['a handshake', (port: number, signal: AbortSignal) => network.secure({ host: 'localhost', port }, direct, signal)],
    [
      'a tunnel',
      (port: number, signal: AbortSignal) => network.secure({ host: 'far.test', port: 443 }, proxyAt(port), signal),
    ],
    [
      'a request for the time',
      (port: number, signal: AbortSignal) => network.readDate(`http://127.0.0.1:${port}/`, direct, signal),
    ],
  ])('closes the connection of %s', async (_case, measure) => {
    const { connected, port } = await startSilent();
    const ending = new AbortController();
    const result = measure(port, ending.signal);
    const socket = await connected;
    const closed = once(socket.resume(), 'close');
    ending.abort();
    await closed;
    expect([null, { kind: 'failed', code: expect.any(String) }]).toContainEqual(await result);
  });

  it('reports that it was aborted', async () => {
    const { connected, port } = await startSilent();
    const ending = new AbortController();
    const result = network.secure({ host: 'localhost', port }, direct, ending.signal);
    await connected;
    ending.abort();
    expect(await result).toEqual({ kind: 'failed', code: 'ABORTED' });
  });

  it('does not even start if the signal is already aborted', async () => {
    const { port } = await startSilent();
    const signal = AbortSignal.abort();
    expect(await network.connect({ host: '127.0.0.1', port }, signal)).toEqual({ kind: 'failed', code: 'ABORTED' });
    expect(await network.resolveHost('localhost', signal)).toEqual({ kind: 'no-answer', code: 'ABORTED' });
  });
});

it('ends a request for the time that is answered with another protocol, which nobody asked for', async () => {
  const { connected, port } = await startSilent();
  const result = network.readDate(`http://127.0.0.1:${port}/`, direct, new AbortController().signal);
  const socket = await connected;
  await once(socket, 'data');
  socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n');
  expect(await result).toBeNull();
});

it('does not go through a SOCKS proxy, and reports that', async () => {
  const route: ProxyRoute = { kind: 'proxy', protocol: 'socks', host: '127.0.0.1', port: 1 };
  const { signal } = new AbortController();
  expect(await network.secure({ host: 'far.test', port: 443 }, route, signal)).toEqual({ kind: 'not-measured' });
  expect(await network.readDate('https://far.test/', route, signal)).toBeNull();
});
