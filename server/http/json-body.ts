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
  const fail = (error: ApiError) => {
    reply.header('connection', 'close');
    done(error);
  };
  switch (inspectHeaders(request)) {
    case 'no body':
      done(undefined);
      break;
    case 'not JSON':
      done(new ApiError('UNSUPPORTED_MEDIA_TYPE'));
      break;
    case 'too large':
      fail(new ApiError('PAYLOAD_TOO_LARGE'));
      break;
    case 'JSON':
      readBytes(request.raw, fail, (bytes) => {
        let body: unknown;
        try {
          requireIdentity(request.headers['content-encoding']);
          body = parseBody(bytes);
        } catch (error) {
          fail(error as ApiError);
          return;
        }
        done(undefined, body);
      });
  }
}

/** What the headers say about the body. */
function inspectHeaders(request: FastifyRequest): 'no body' | 'not JSON' | 'too large' | 'JSON' {
  const { headers } = request;
  const type = headers['content-type'];
  const length = Number(headers['content-length'] ?? 0);
  if (type === undefined && headers['transfer-encoding'] === undefined && length === 0) return 'no body';
  if (type !== 'application/json' && request.mediaType !== 'application/json') return 'not JSON';
  return length > bodyLimitBytes ? 'too large' : 'JSON';
}

/** Calls one of the functions once. */
function readBytes(stream: IncomingMessage, fail: (error: ApiError) => void, done: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    if (length > bodyLimitBytes) return;
    length += chunk.length;
    if (length > bodyLimitBytes) fail(new ApiError('PAYLOAD_TOO_LARGE'));
    else chunks.push(chunk);
  });
  stream.on('end', () => {
    if (length <= bodyLimitBytes) done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  });
  stream.on('error', () => {
    if (length <= bodyLimitBytes) fail(new ApiError('VALIDATION_ERROR', 'The body did not arrive completely.'));
  });
}

function requireIdentity(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity' || encoding === '') return;
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The request body must not be compressed. Send it as plain JSON.');
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
