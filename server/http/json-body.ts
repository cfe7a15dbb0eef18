/** Request bodies: JSON in UTF-8 and nothing else, up to a limit. */
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';

/** Part of the interface: shared/api/README.md, "Conventions". */
export const bodyLimitBytes = 64 * 1024;

/**
 * Parses `application/json`; an empty body counts as no body. Fastify's own parser replaces bytes that are not UTF-8, and
 * takes `null` for a body.
 */
export function addJsonParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJson(body),
  );
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (!isCompressed(request.headers['content-encoding'])) return done();
    done(new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The request body must not be compressed. Send it as plain JSON.'));
  });
}

/**
 * In a scope of Fastify: hands the bytes of JSON bodies to the handlers, since signatures are made of them. `request.body`
 * is a `Buffer`, or `undefined` for a request without a body.
 */
export function keepRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => body,
  );
}

/** `undefined` for an empty body. Throws `ApiError` VALIDATION_ERROR for `null` and for what is not JSON in UTF-8. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let body: unknown;
  const text = decodeUtf8(bytes);
  try {
    body = JSON.parse(text);
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid JSON. Check its quotes, commas and brackets.');
  }
  // So that it is not taken for a body that is missing.
  if (body === null) throw new ApiError('VALIDATION_ERROR', 'The body must be a JSON object.');
  return body;
}

/** Keeps nothing from one body to the next. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws `ApiError` VALIDATION_ERROR. */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid UTF-8. Encode it as UTF-8.');
  }
}

function isCompressed(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity';
}
