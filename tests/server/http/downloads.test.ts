/** How many files are open for downloads, and for how long: no client can use up the file descriptors of the server. */
import { EventEmitter, once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { fastify } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Downloads, decideDownloadLimits } from '../../../server/http/downloads.ts';
import { sendFile } from '../../../server/http/send-file.ts';
import { progressIntervalMs } from '../../../server/http/streamed-body.ts';
import { openSocket } from '../../harness/raw-request.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

function replyTo(ip: string, socket: object | null = {}): FastifyReply {
  return { raw: Object.assign(new EventEmitter(), { socket }), request: { ip } } as unknown as FastifyReply;
}

const openFake = async () => ({ read: vi.fn(), close: async () => {} });
const refused = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 10 });

describe('downloads', () => {
  it('are limited by the number of file descriptors, with a quarter for each address', () => {
    expect(decideDownloadLimits(64)).toEqual({ total: 8, perAddress: 8 });
    expect(decideDownloadLimits(1024)).toEqual({ total: 64, perAddress: 16 });
    expect(decideDownloadLimits(1_048_576)).toEqual({ total: 256, perAddress: 64 });
  });

  it('beyond the limit of an address or of all addresses are refused until another one has ended', async () => {
    const downloads = new Downloads({ total: 3, perAddress: 2 });
    const first = await downloads.open(replyTo('192.0.2.1'), openFake);
    await downloads.open(replyTo('192.0.2.1'), openFake);
    await expect(downloads.open(replyTo('192.0.2.1'), openFake)).rejects.toEqual(refused);
    const other = await downloads.open(replyTo('192.0.2.2'), openFake);
    await expect(downloads.open(replyTo('192.0.2.3'), openFake)).rejects.toEqual(refused);
    await other.close();
    await downloads.open(replyTo('192.0.2.3'), openFake);
    await first.close();
    await downloads.open(replyTo('192.0.2.1'), openFake);
  });

  it('no longer count if their file cannot be opened', async () => {
    const downloads = new Downloads({ total: 1, perAddress: 1 });
    const missing = () => Promise.reject(new Error('ENOENT'));
    await expect(downloads.open(replyTo('192.0.2.1'), missing)).rejects.toThrow('ENOENT');
    await downloads.open(replyTo('192.0.2.1'), openFake);
  });

  it('only open their file once their response is the next one on its connection', async () => {
    const downloads = new Downloads({ total: 1, perAddress: 1 });
    const reply = replyTo('192.0.2.1', null);
    const opened = vi.fn(openFake);
    const opening = downloads.open(reply, opened);
    await new Promise((resolve) => setImmediate(resolve));
    expect(opened).not.toHaveBeenCalled();
    reply.raw.emit('socket');
    await opening;
    expect(opened).toHaveBeenCalledOnce();
  });
});

describe('a file whose client', () => {
  afterEach(() => void vi.useRealTimers());

  it('stops reading is closed', async () => {
    const bytes = 64 * 1024 * 1024;
    const file = await open(join(temporaryFolder(), 'large'), 'w+');
    const close = vi.fn(() => file.close());
    const opened = { read: file.read.bind(file), close };
    await file.truncate(bytes);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const app = fastify();
    const about = { bytes, etag: '"1"', contentType: 'application/octet-stream', cacheControl: 'no-cache' };
    app.get('/', (_request, reply) => sendFile(reply, { ...about, open: async () => opened }, { status: 200 }));
    const socket = await openSocket(await app.listen({ host: '127.0.0.1', port: 0 }));
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'readable');
    // The server keeps reading from the file until the buffers in between are full.
    while (close.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(progressIntervalMs);
    socket.destroy();
    await app.close();
  });
});
