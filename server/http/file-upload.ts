/** Receives uploaded files: they are hashed as they arrive and not stored. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DeadlineExceeded } from '../deadline.ts';
import { ApiError } from '../errors.ts';

const contentType = 'application/octet-stream';

export type UploadedFile = {
  /** SHA-256 in hex. */
  readonly sha256: string;
  readonly bytes: number;
};

const retryAfterSeconds = 10;

/** Each member of staff uploads one file at a time, because hashing competes with everything else in this process. */
export class FileUploads {
  /** Ids of the members whose uploads are in progress. */
  readonly #running = new Set<string | undefined>();

  /**
   * Makes `request.body` an `UploadedFile` in this scope. A request can fail with `ApiError` PAYLOAD_TOO_LARGE,
   * UNSUPPORTED_MEDIA_TYPE or SERVICE_UNAVAILABLE, and with `DeadlineExceeded` if the client disconnects.
   */
  parseIn(scope: FastifyInstance): FastifyInstance {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(contentType, (request: FastifyRequest, payload: IncomingMessage) =>
      this.#receive(payload, request),
    );
    scope.addHook('preParsing', async ({ headers, mediaType, routeOptions }) => {
      if (mediaType !== contentType) {
        throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send the file itself, as Content-Type: ${contentType}.`);
      }
      if (Number(headers['content-length'] ?? 0) <= routeOptions.bodyLimit) return;
      throw tooLarge(routeOptions.bodyLimit);
    });
    return scope;
  }

  async #receive(stream: IncomingMessage, { staff, routeOptions }: FastifyRequest): Promise<UploadedFile> {
    if (this.#running.has(staff?.id)) throw new ApiError('SERVICE_UNAVAILABLE', undefined, retryAfterSeconds);
    this.#running.add(staff?.id);
    try {
      return await hashStream(stream, routeOptions.bodyLimit);
    } finally {
      this.#running.delete(staff?.id);
    }
  }
}

function hashStream(stream: IncomingMessage, maxBytes: number): Promise<UploadedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  return new Promise((resolve, reject) => {
    // If the client left while the request was being admitted, the stream emits no further events.
    if (stream.destroyed) reject(new DeadlineExceeded('closed'));
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) hash.update(chunk);
      else reject(tooLarge(maxBytes));
    });
    stream.on('end', () => {
      if (bytes <= maxBytes) resolve({ sha256: hash.digest('hex'), bytes });
    });
    stream.on('error', () => reject(new DeadlineExceeded('closed')));
    stream.on('close', () => reject(new DeadlineExceeded('closed')));
  });
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The file is larger than ${Math.floor(maxBytes / 1024 ** 3)} GiB.`);
}
