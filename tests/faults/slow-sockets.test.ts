/**
 * Row 9 of the matrix: a thousand sockets that send their headers or bodies one byte at a time, or read nothing of the
 * response. The latter have their own network with small buffers, because the system otherwise holds 2 MB for each.
 * Transport: HTTP.
 */
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { sharedHttpServer } from '../harness/http-server.ts';
import { canHaveOwnNetwork, testInOwnNetwork } from '../harness/own-network.ts';
import { stringIn } from '../harness/test-client.ts';
import { subscriber } from '../harness/users.ts';
import { amount, isTorture, reportFigures, rowTimeout } from './matrix-run.ts';

const row = 9;
const server = sharedHttpServer();
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const goneWithinS = 15;
const smallBuffers = 'echo 4096 16384 16384 | tee /proc/sys/net/ipv4/tcp_wmem > /proc/sys/net/ipv4/tcp_rmem';
const hasSmallBuffers = process.env.TEST_SMALL_BUFFERS === '1';
const countWithLargeBuffers = 100;

type Slow = { readonly first: string; readonly next: string; readonly reads: boolean };

/** The whole request has 10 s, checked by Node every 5 s; an unread response has 5 s or twice that. */
const slow: Readonly<Record<'headers' | 'bodies' | 'answers', Slow>> = {
  headers: { first: 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ', next: 'a', reads: true },
  bodies: {
    first:
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n',
    next: ' ',
    reads: true,
  },
  // More than the buffers of the connection hold.
  answers: {
    first: hasSmallBuffers
      ? 'GET /api/docs HTTP/1.1\r\nHost: x\r\n\r\n'
      : 'GET /api/v1/admin/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(12),
    next: '',
    reads: false,
  },
};

/** Connects from 127.0.1.1 and the following addresses, so that none exceeds the connection limit per address. */
async function openSlowly(count: number, { first, reads }: Slow): Promise<{ isClosed: boolean; socket: Socket }[]> {
  const { port } = new URL(server.url);
  const opened = Array.from({ length: count }, (_, index) => {
    const localAddress = `127.0.1.${1 + (index % 200)}`;
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    sockets.push(socket);
    const client = { isClosed: false, socket };
    socket.on('error', () => undefined).on('close', () => (client.isClosed = true));
    if (reads) socket.resume();
    else socket.pause();
    socket.write(first);
    return client;
  });
  await Promise.all(
    opened.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  );
  return opened;
}

/** Validates a key continuously until `isOver`; returns how many were valid, and the longest time. */
async function validateUntil(apiKey: string, isOver: () => boolean) {
  let [valid, slowestMs] = [0, 0];
  while (!isOver()) {
    const startedMs = performance.now();
    const { body } = await server.call('validateApiKey', { body: { api_key: apiKey } });
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    expect(body).toMatchObject({ valid: true });
    valid += 1;
    await sleep(20);
  }
  return { valid, slowestMs: Math.round(slowestMs) };
}

function countDescriptors(): number {
  return readdirSync(`/proc/${server.process.process.pid}/fd`).length;
}

async function newApiKey(): Promise<string> {
  const { token } = await subscriber(server, 'advanced');
  return stringIn((await server.call('apiKey', { token })).body, 'api_key');
}

type Kind = keyof typeof slow;

function kindsHere(): readonly Kind[] {
  if (hasSmallBuffers) return ['answers'];
  return canHaveOwnNetwork ? ['headers', 'bodies'] : ['headers', 'bodies', 'answers'];
}

/** Expects that the sockets are closed in time, and that keys are validated in the meantime. */
async function expectGone(kind: Kind, count: number): Promise<void> {
  const { [kind]: how } = slow;
  const apiKey = await newApiKey();
  const before = countDescriptors();
  const clients = await openSlowly(count, how);
  // Measured from when the last socket was opened and had sent its initial bytes.
  const startedMs = performance.now();
  const open = () => clients.filter(({ isClosed }) => !isClosed);
  // A client that reads nothing does not notice that its connection is closed. The validations have a few connections
  // of their own.
  const left = () => (how.reads ? open().length : Math.max(0, countDescriptors() - before - 5));
  const seconds = () => (performance.now() - startedMs) / 1000;
  // More than the row allows, for a machine with other load.
  const limit = goneWithinS + (isTorture ? 5 : 40);
  const isOver = () => left() === 0 || seconds() > limit;
  const drip = async () => {
    while (!isOver()) {
      for (const { socket } of open()) if (how.next !== '' && socket.writable) socket.write(how.next);
      await sleep(1000);
    }
  };
  const [validated] = await Promise.all([validateUntil(apiKey, isOver), drip()]);
  const goneAfter = seconds();
  expect(left(), `sockets that are left after ${limit} s`).toBe(0);
  // A request that takes too long is refused, so each of these has shown that it was served in time.
  expect(validated.valid).toBeGreaterThan(isTorture ? 50 : 0);
  reportFigures(row, {
    amount: `${amount(row)} sockets of each kind`,
    figures: {
      [`slow ${kind} gone after s`]: Math.round(goneAfter),
      'validations meanwhile': validated.valid,
      'slowest in ms': validated.slowestMs,
    },
  });
}

describe.skipIf(process.platform !== 'linux')('slow sockets', () => {
  it.each(kindsHere())(
    'with slow %s are closed, and keys are validated in the meantime',
    { timeout: rowTimeout() },
    async (kind) => {
      const isCostly = kind === 'answers' && !hasSmallBuffers;
      await expectGone(kind, isCostly ? countWithLargeBuffers : amount(row));
    },
  );

  it.skipIf(hasSmallBuffers || !canHaveOwnNetwork)(
    'with unread responses are closed if the buffers are small',
    { timeout: rowTimeout() },
    () => {
      const settings = { TEST_SMALL_BUFFERS: '1', TEST_TORTURE: process.env.TEST_TORTURE ?? '' };
      const words = ['tests/faults/slow-sockets.test.ts'];
      const { status, stdout, stderr } = testInOwnNetwork(words, { settings, first: smallBuffers });
      expect(status, `${stdout}${stderr}`.slice(-4000)).toBe(0);
    },
  );
});
