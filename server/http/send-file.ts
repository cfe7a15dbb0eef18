/** Sends a file with the features that download managers expect: one or several ranges, a strong ETag, and HEAD. */
import type { FileHandle } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';
import { type ByteRange, lengthOf } from './byte-ranges.rules.ts';
import type { FileOutcome, FileVersion } from './file-response.rules.ts';
import { streamBody } from './streamed-body.ts';

/** The part of `FileHandle` that is used. */
export type OpenFile = Pick<FileHandle, 'read' | 'close'>;

type SentFile = FileVersion & {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Opens the file. It is closed once it has been sent or the client has disconnected. */
  open(): Promise<OpenFile>;
};

const chunkBytes = 256 * 1024;

/**
 * Sends the response. Rejects with `ApiError` RANGE_NOT_SATISFIABLE for the outcome 416, and with whatever `open`
 * rejects.
 */
export async function sendFile(reply: FastifyReply, file: SentFile, outcome: FileOutcome): Promise<FastifyReply> {
  const { bytes, etag, contentType, cacheControl } = file;
  if (outcome.status === 416) {
    reply.header('content-range', `bytes */${bytes}`);
    throw new ApiError('RANGE_NOT_SATISFIABLE');
  }
  const headers = { etag, 'accept-ranges': 'bytes', 'cache-control': cacheControl };
  if (outcome.status === 304) return reply.code(304).headers(headers).send();
  const handle = await file.open();
  const ranges = outcome.status === 206 ? outcome.ranges : [{ start: 0, end: bytes - 1 }];
  const [first, ...more] = ranges;
  const parts = first && more.length === 0 ? [{ before: '', range: first }] : separate(ranges, file);
  reply.code(outcome.status).headers(headers).header('content-length', sum(parts));
  reply.type(more.length > 0 ? `multipart/byteranges; boundary=${boundaryOf(file)}` : contentType);
  if (outcome.status === 206 && first && more.length === 0) reply.header('content-range', contentRange(first, bytes));
  if (reply.request.method !== 'HEAD') {
    const body = streamBody(readParts(handle, parts), { highWaterMark: chunkBytes });
    return reply.send(body.once('close', () => void handle.close()));
  }
  await handle.close();
  return reply.send();
}

/** A part header and its byte range; the closing delimiter has no range. */
type Part = { readonly before: string; readonly range: ByteRange | undefined };

/** Splits the body into the parts of a multipart response (RFC 9110 §14.6). */
function separate(ranges: readonly ByteRange[], file: SentFile): readonly Part[] {
  const delimiter = `\r\n--${boundaryOf(file)}`;
  const parts = ranges.map((range, index) => ({
    before: `${index === 0 ? delimiter.trimStart() : delimiter}\r\nContent-Type: ${file.contentType}\r\nContent-Range: ${contentRange(range, file.bytes)}\r\n\r\n`,
    range,
  }));
  return [...parts, { before: `${delimiter}--\r\n`, range: undefined }];
}

/** Returns the hash of the file, which cannot occur in the file itself. */
function boundaryOf({ etag }: SentFile): string {
  return etag.replaceAll('"', '');
}

function contentRange({ start, end }: ByteRange, bytes: number): string {
  return `bytes ${start}-${end}/${bytes}`;
}

function sum(parts: readonly Part[]): number {
  return parts.reduce((total, { before, range }) => total + before.length + (range ? lengthOf(range) : 0), 0);
}

async function* readParts(handle: OpenFile, parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const { before, range } of parts) {
    if (before !== '') yield Buffer.from(before, 'latin1');
    for (let at = range?.start ?? 0; range && at <= range.end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, range.end - at + 1));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new Error('the file is shorter than when it was opened');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}
