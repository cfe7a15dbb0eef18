/** Accepts JSON bodies in UTF-8 and nothing else. */
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';

/** Part of the interface: shared/api/README.md, "Conventions". */
export const bodyLimitBytes = 64 * 1024;

/** Replaces Fastify's parsers. An empty body counts as no body. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      const encoding = request.headers['content-encoding'];
      if (encoding && encoding.toLowerCase() !== 'identity') {
        throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The request body must not be compressed. Send it as plain JSON.');
      }
      done(null, parseBody(bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Rejects `null` here, because Fastify validates a missing body as `null` too. */
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
