/** Files that clients send: hashed while they arrive, not stored. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DeadlineExceeded } from '../deadline.ts';
import { ApiError } from '../errors.ts';

const contentType = 'application/octet-stream';

export type UploadedFile = {
  /** In hex. */
  readonly sha256: string;
  readonly bytes: number;
};

/** How long a file may take to arrive. */
const uploadTimeoutMs = 60 * 60 * 1000;
/** Hashing takes turns with everything else that this process does. */
const maxUploads = 2;
const retryAfterSeconds = 10;

export class FileUploads {
  readonly #server: Pick<Server, 'requestTimeout'>;
  #running = 0;
  #usualTimeoutMs = 0;

  constructor(server: Pick<Server, 'requestTimeout'>) {
    this.#server = server;
  }

  /**
   * Makes `request.body` an `UploadedFile` in this scope. Node has one timeout for the bodies of all requests, which is longer
   * while a file is arriving. A request can fail with `ApiError` PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE or
   * SERVICE_UNAVAILABLE, and with `DeadlineExceeded` if the client gives up.
   */
  parseIn(scope: FastifyInstance): FastifyInstance {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(contentType, (request: FastifyRequest, payload: IncomingMessage) =>
      this.#receive(payload, request.routeOptions.bodyLimit),
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

  async #receive(stream: IncomingMessage, maxBytes: number): Promise<UploadedFile> {
    if (this.#running >= maxUploads) throw new ApiError('SERVICE_UNAVAILABLE', undefined, retryAfterSeconds);
    this.#begin();
    try {
      return await hashStream(stream, maxBytes);
    } finally {
      this.#end();
    }
  }

  #begin(): void {
    if (this.#running === 0) {
      this.#usualTimeoutMs = this.#server.requestTimeout;
      this.#server.requestTimeout = uploadTimeoutMs;
    }
    this.#running += 1;
  }

  #end(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#server.requestTimeout = this.#usualTimeoutMs;
  }
}

function hashStream(stream: IncomingMessage, maxBytes: number): Promise<UploadedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  return new Promise((resolve, reject) => {
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
