/** The types of an endpoint's handler, derived from the endpoint's entry in its table. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import { type Endpoint, endpoints } from '../../shared/api/endpoints.ts';
import { integrationEndpoints } from '../../shared/api/integration-endpoints.ts';
import type { SignedInUser } from '../auth/signed-in-user.ts';
import type { SignedInStaff } from '../staff/signed-in-staff.ts';
import type { UploadedFile } from './file-upload.ts';

type Table = typeof endpoints & typeof adminEndpoints & typeof integrationEndpoints;

/** The endpoints of all tables. */
export type AnyEndpointName = keyof Table;

export function findEndpoint(name: AnyEndpointName): Endpoint {
  return { ...endpoints, ...adminEndpoints, ...integrationEndpoints }[name];
}

/**
 * Fastify's request with the types that the endpoint's entry in its table gives it. What this server adds to each
 * request, such as `by` and `site`, is in `request-decorators.ts`.
 */
export type EndpointRequest<N extends AnyEndpointName> = FastifyRequest<{
  /** The parsed body, or the hash of an uploaded file; `undefined` if the endpoint takes no body. */
  Body: Table[N] extends { request: infer R extends z.ZodType }
    ? z.output<R>
    : Table[N] extends { upload: number }
      ? UploadedFile
      : undefined;
  Params: Table[N] extends { params: infer P extends z.ZodType } ? z.output<P> : undefined;
  Querystring: Table[N] extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
}> & {
  readonly user: Table[N]['auth'] extends 'bearer' ? SignedInUser : null;
  readonly staff: Table[N]['auth'] extends 'staff' ? SignedInStaff : null;
  readonly rawBody: Table[N]['auth'] extends 'signature' ? string : undefined;
};

/** A response with a CSV file, which is streamed while it is read. */
export class CsvFile {
  /** The file name without its extension. */
  readonly name: string;
  readonly parts: AsyncGenerator<string>;

  constructor(name: string, parts: AsyncGenerator<string>) {
    this.name = name;
    this.parts = parts;
  }
}

type Response<N extends AnyEndpointName> = z.output<Table[N]['response']>;
type OtherResponse<N extends AnyEndpointName> = Table[N] extends {
  otherResponses: Record<number, infer O extends z.ZodType>;
}
  ? z.output<O>
  : never;
type CsvAnswer<N extends AnyEndpointName> = N extends keyof typeof adminEndpoints ? CsvFile : never;
type Answer<N extends AnyEndpointName> = Response<N> | OtherResponse<N> | CsvAnswer<N>;

/** The response of an endpoint that has nothing else to say. */
export const success = { success: true } as const;

type Success<N extends AnyEndpointName> = typeof success extends Response<N> ? Promise<void> : never;

/**
 * Returns the body of the response, or nothing if that is `success`; on `reply` it sets a cookie, or the status of one
 * of the `otherResponses`.
 */
export type Handler<N extends AnyEndpointName> = (
  request: EndpointRequest<N>,
  reply: FastifyReply,
) => Answer<N> | Promise<Answer<N>> | Success<N>;

/** The handler of whichever endpoint. */
export type AnyHandler = (request: never, reply: FastifyReply) => unknown;
