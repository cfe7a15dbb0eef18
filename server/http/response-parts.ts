/** Sends a large response in several writes: over TLS, Node sees only that a write has finished, not its progress. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

const partBytes = 64 * 1024;

/** Returns what Fastify is to send instead of this payload: large text or bytes become a stream. */
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
