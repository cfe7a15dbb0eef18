/** Reads JSON bodies in UTF-8 and nothing else. Fastify would take several times as long for a body of usual size. */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

/** Part of the interface: shared/api/README.md, "Conventions". */
export const bodyLimitBytes = 64 * 1024;

/** `error` is an `ApiError` if there is one. An empty body counts as no body, which is `undefined`. */
type Done = (error: ApiError | undefined, body?: unknown) => void;

/** Reads and parses the body. After an error in it the connection is closed, because more of it may be under way. */
export function readJsonBody(request: FastifyRequest, reply: FastifyReply, done: Done): void {
  readBodyBytes(request, reply, bodyLimitBytes, (error, bytes) => {
    if (error || !bytes) return done(error);
    let body: unknown;
    try {
      body = parseBody(bytes);
    } catch (error) {
      reply.header('connection', 'close');
      done(error as ApiError);
      return;
    }
    done(undefined, body);
  });
}

/** Reads a JSON body without parsing it, as its signature needs it; `undefined` if there is none. */
export function readBodyBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  maxBytes: number,
  done: (error: ApiError | undefined, bytes?: Buffer) => void,
): void {
  const fail = (error: ApiError) => {
    reply.header('connection', 'close');
    done(error);
  };
  switch (inspectHeaders(request, maxBytes)) {
    case 'no body':
      done(undefined);
      break;
    case 'not JSON':
      done(new ApiError('UNSUPPORTED_MEDIA_TYPE'));
      break;
    case 'too large':
      fail(tooLarge(maxBytes));
      break;
    case 'JSON':
      readBytes(request.raw, { maxBytes, fail }, (bytes) => {
        if (isCompressed(request.headers['content-encoding'])) fail(compressed());
        else done(undefined, bytes);
      });
  }
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The request body is larger than ${maxBytes / 1024} KiB.`);
}

function compressed(): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The request body must not be compressed. Send it as plain JSON.');
}

/** What the headers say about the body. */
function inspectHeaders(request: FastifyRequest, maxBytes: number): 'no body' | 'not JSON' | 'too large' | 'JSON' {
  const { headers } = request;
  const type = headers['content-type'];
  const length = Number(headers['content-length'] ?? 0);
  if (type === undefined && headers['transfer-encoding'] === undefined && length === 0) return 'no body';
  if (type !== 'application/json' && request.mediaType !== 'application/json') return 'not JSON';
  return length > maxBytes ? 'too large' : 'JSON';
}

type Reading = { readonly maxBytes: number; readonly fail: (error: ApiError) => void };

/** Calls one of the functions once. */
function readBytes(stream: IncomingMessage, { maxBytes, fail }: Reading, done: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    if (length > maxBytes) return;
    length += chunk.length;
    if (length > maxBytes) fail(tooLarge(maxBytes));
    else chunks.push(chunk);
  });
  stream.on('end', () => {
    if (length <= maxBytes) done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  });
  stream.on('error', () => {
    if (length <= maxBytes) fail(new ApiError('VALIDATION_ERROR', 'The body did not arrive completely.'));
  });
}

function isCompressed(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity';
}

/** Rejects `null`, so that it is not taken for a body that is missing. */
function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const body = parseJson(bytes);
  if (body === null) throw new ApiError('VALIDATION_ERROR', 'The body must be a JSON object.');
  return body;
}

/** Keeps nothing from one body to the next. */
const decoder = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid UTF-8. Encode it as UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid JSON. Check its quotes, commas and brackets.');
  }
}
