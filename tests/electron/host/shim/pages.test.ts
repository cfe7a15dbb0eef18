/** The pages of a window: a malformed message closes only the page that sent it, and requests end with their page. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { HostMessage, PageMessage } from '../../../../electron/host/page/page-messages.ts';
import { decodeValue, encodeValue } from '../../../../electron/host/page/structured-clone.ts';
import { Pages } from '../../../../electron/host/shim/pages.ts';

/** Connects two pages; the main process returns the arguments of each call. */
async function connectPages() {
  const pages = new Pages({ onInvoke: async (channel, input) => [channel, ...input], onFocused: () => {} });
  const server = createServer().listen(0, '127.0.0.1');
  server.on('upgrade', (request, socket, head) => pages.accept(request, socket, head));
  onTestFinished(() => {
    pages.close();
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const connect = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await once(socket, 'open');
    onTestFinished(() => socket.terminate());
    return socket;
  };
  return { pages, attacker: await connect(), other: await connect(), connect };
}

async function invoke(socket: WebSocket): Promise<unknown> {
  socket.send(encodeValue({ kind: 'invoke', id: 7, channel: 'channel', input: ['input'] } satisfies PageMessage));
  const [data] = await once(socket, 'message');
  return decodeValue(String(data));
}

async function closedWith(socket: WebSocket): Promise<{ readonly code: number; readonly reason: string }> {
  const [code, reason] = await once(socket, 'close');
  return { code, reason: String(reason) };
}

const result = { kind: 'result', id: 7, value: ['channel', 'input'] } satisfies HostMessage;

it.each([
  ['nothing', '', 1007],
  ['text', 'hello', 1007],
  ['JSON', '{}', 1007],
  ['a reference to nothing', '[[5]]', 1007],
  ['an unknown type', '[["Nonsense",1],2]', 1007],
  ['a broken error', '[["error",1],null]', 1007],
  ['null', encodeValue(null), 1008],
  ['an unknown kind', encodeValue({ kind: 'quit' }), 1008],
  ['a call without a channel', encodeValue({ kind: 'invoke', id: 1, input: [] }), 1008],
  ['a call without a list of input', encodeValue({ kind: 'invoke', id: 1, channel: 'channel', input: 1 }), 1008],
  ['a call with a text as its id', encodeValue({ kind: 'invoke', id: '1', channel: 'channel', input: [] }), 1008],
  ['no focus', encodeValue({ kind: 'focused' }), 1008],
  ['bytes', Buffer.from([0xff, 0]), 1003],
  ['too much', 'x'.repeat(8 * 1024 * 1024 + 1), 1009],
])('%s closes the socket that sent it, and no other', async (what, message, code) => {
  const { attacker, other } = await connectPages();
  const closing = closedWith(attacker);
  attacker.send(message);
  const closed = await closing;
  expect(closed.code).toBe(code);
  if (what !== 'too much') expect(closed.reason).toMatch(/^[A-Z].*\.$/);
  expect(await invoke(other)).toEqual(result);
});

it('a frame that breaks the protocol closes the socket that sent it, and no other', async () => {
  const { attacker, other } = await connectPages();
  const closing = closedWith(attacker);
  // An unmasked frame with reserved bits, written past the client's own checks.
  (attacker as unknown as { _socket: NodeJS.WritableStream })._socket.write(Buffer.from([0xf1, 0x01, 0x41]));
  expect((await closing).code).toBe(1002);
  expect(await invoke(other)).toEqual(result);
});

it('ignores everything a page sends after a malformed message, and lets it connect again', async () => {
  const { attacker, connect } = await connectPages();
  const received: string[] = [];
  attacker.on('message', (data) => received.push(String(data)));
  const closing = closedWith(attacker);
  attacker.send('{}');
  attacker.send(encodeValue({ kind: 'invoke', id: 1, channel: 'channel', input: [] } satisfies PageMessage));
  await closing;
  expect(received).toEqual([]);
  expect(await invoke(await connect())).toEqual(result);
});

it('ignores a response to a request that was never made', async () => {
  const { attacker } = await connectPages();
  attacker.send(encodeValue({ kind: 'response', id: 99, value: 1 } satisfies PageMessage));
  expect(await invoke(attacker)).toEqual(result);
});

it('a request ends when the page it was sent to closes, even if another page is open', async () => {
  const { pages, attacker, other } = await connectPages();
  await invoke(other);
  const asked = once(other, 'message');
  const response = pages.request({ kind: 'choose-file' });
  await asked;
  other.close();
  expect(await response).toBeNull();
  expect(await invoke(attacker)).toEqual(result);
});
