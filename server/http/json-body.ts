/** Parses request bodies: only JSON in UTF-8, up to a size limit. */
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';

/** Maximum body size; part of the interface, see shared/api/README.md, "Conventions". */
export const bodyLimitBytes = 64 * 1024;

/**
 * Parses `application/json`; an empty body counts as none. Fastify's own parser replaces bytes that are not UTF-8 and
 * accepts `null` as a body.
 */
export function addJsonParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJson(decodeUtf8(body)),
  );
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (!isCompressed(request.headers['content-encoding'])) return done();
    done(new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The request body must not be compressed. Send it as plain JSON.'));
  });
}

/** Parses a body; returns `undefined` if it is empty. Throws `ApiError` VALIDATION_ERROR for `null` and if it is not JSON. */
export function parseJson(text: string): unknown {
  if (text === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid JSON. Check its quotes, commas and brackets.');
  }
  // Rejected, so that `null` is not taken for a missing body.
  if (body === null) throw new ApiError('VALIDATION_ERROR', 'The body must be a JSON object.');
  return body;
}

/** Shared, since it keeps no state between bodies. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8. Throws `ApiError` VALIDATION_ERROR if the bytes are not valid. */
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
