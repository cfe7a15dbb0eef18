/** Files that clients send: hashed while they arrive, not stored. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { BudgetExceeded } from '../request-budget.ts';

const contentType = 'application/octet-stream';

export type UploadedFile = {
  /** In hex. */
  readonly sha256: string;
  readonly bytes: number;
};

export type UploadContext = {
  readonly maxBytes: number;
  /** Is called once. */
  done(error: Error | undefined, file?: UploadedFile): void;
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
   * Reads the body. Node has one timeout for the bodies of all requests, which is longer while a file is arriving.
   * The error is `ApiError` PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE or SERVICE_UNAVAILABLE, or `BudgetExceeded` if the
   * client gives up. After it the connection is closed, because more of the file may be under way.
   */
  receive(request: FastifyRequest, reply: FastifyReply, { maxBytes, done }: UploadContext): void {
    const problem = this.#findProblem(request, maxBytes);
    if (problem) {
      reply.header('connection', 'close');
      done(problem);
      return;
    }
    this.#begin();
    hashStream(request.raw, maxBytes).then(
      (file) => {
        this.#end();
        done(undefined, file);
      },
      (error: Error) => {
        this.#end();
        reply.header('connection', 'close');
        done(error);
      },
    );
  }

  #findProblem({ headers, mediaType }: FastifyRequest, maxBytes: number): ApiError | undefined {
    if (mediaType !== contentType) {
      return new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send the file itself, as Content-Type: ${contentType}.`);
    }
    if (Number(headers['content-length'] ?? 0) > maxBytes) return tooLarge(maxBytes);
    return this.#running < maxUploads ? undefined : new ApiError('SERVICE_UNAVAILABLE', undefined, retryAfterSeconds);
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
    stream.on('error', () => reject(new BudgetExceeded('closed')));
    stream.on('close', () => reject(new BudgetExceeded('closed')));
  });
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The file is larger than ${Math.floor(maxBytes / 1024 ** 3)} GiB.`);
}
