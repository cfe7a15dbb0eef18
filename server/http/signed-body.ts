/** The bodies of signed requests: a signature covers the bytes that were sent, so it is verified before they are parsed. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { decodeUtf8, parseJson } from './json-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The text of a signed body, once the signature is verified. */
    rawBody?: string | undefined;
  }
}

export type Signature = {
  /** What is signed, for the error. */
  readonly of: 'report' | 'webhook';
  /** Returns true if the sender has signed these bytes. */
  verify(request: FastifyRequest, body: Buffer): boolean | Promise<boolean>;
};

/** Makes the bytes of a body available to the `preValidation` hooks of a scope, and later its text to the handlers. */
export function keepRawBody(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  const keep = async (_request: unknown, body: Buffer) => body;
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, keep);
  return scope.decorateRequest('rawBody');
}

/** Throws `ApiError` INVALID_TOKEN if the signature is not valid, and what `verify` throws if it cannot tell. */
export async function requireSignature(request: FastifyRequest, { of, verify }: Signature): Promise<void> {
  if (await verify(request, rawBytes(request))) return;
  throw new ApiError('INVALID_TOKEN', `The signature of the ${of} is not valid.`);
}

/** Parses the body of a request whose signature is valid. Throws `ApiError` VALIDATION_ERROR. */
export function parseRawBody(request: FastifyRequest): void {
  request.rawBody = decodeUtf8(rawBytes(request));
  request.body = parseJson(request.rawBody);
}

function rawBytes({ body }: FastifyRequest): Buffer {
  return (body as Buffer | undefined) ?? Buffer.alloc(0);
}
