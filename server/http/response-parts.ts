/** Sends a large response in several writes: over TLS, Node reports the end of a write but not its progress. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

const partBytes = 64 * 1024;

/** Returns the stream that Fastify sends in place of a large text or buffer; any other payload is returned as it is. */
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
