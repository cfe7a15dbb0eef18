/** Sends a large response as several writes: over TLS, Node notices only the end of a write, not how far it has come. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

const partBytes = 64 * 1024;

/** What Fastify is to send in place of this payload, a text or bytes. */
export function inParts(reply: FastifyReply, payload: unknown): unknown {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  if (payload.length <= partBytes) return payload;
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  reply.header('content-length', bytes.length);
  return Readable.from(partsOf(bytes), { objectMode: false, highWaterMark: partBytes });
}

function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes);
}
