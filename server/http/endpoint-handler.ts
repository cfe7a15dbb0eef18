/** The types of an endpoint's handler, derived from the endpoint's entry in its table. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import { type Endpoint, endpoints } from '../../shared/api/endpoints.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { SignedInUser } from '../auth/signed-in-user.ts';
import type { SignedInStaff, Site } from '../staff/signed-in-staff.ts';
import type { UploadedFile } from './file-upload.ts';

type Table = typeof endpoints & typeof adminEndpoints;

/** The endpoints of the API and of the admin page. */
export type AnyEndpointName = keyof Table;

/** Names of the endpoints that only a page of this server may call. */
type BrowserEndpointName = {
  [N in AnyEndpointName]: N extends keyof typeof adminEndpoints ? N : Table[N] extends { setsCookie: true } ? N : never;
}[AnyEndpointName];

export function findEndpoint(name: AnyEndpointName): Endpoint {
  return { ...endpoints, ...adminEndpoints }[name];
}

/** The parsed request. The only parts of HTTP in it are headers, cookies and address. */
export type Input<N extends AnyEndpointName> = {
  /** The parsed body, or the hash of an uploaded file; `undefined` if the endpoint takes no body. */
  readonly body: Table[N] extends { request: infer R extends z.ZodType }
    ? z.output<R>
    : Table[N] extends { upload: number }
      ? UploadedFile
      : undefined;
  /** The parsed path parameters. */
  readonly params: Table[N] extends { params: infer P extends z.ZodType } ? z.output<P> : undefined;
  /** The parsed query. */
  readonly query: Table[N] extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  /** The signed-in user; `undefined` if the endpoint needs no authentication. */
  readonly user: Table[N]['auth'] extends 'bearer' ? SignedInUser : undefined;
  /** The signed-in staff member, on staff endpoints. */
  readonly staff: Table[N]['auth'] extends 'staff' ? SignedInStaff : undefined;
  /** The same member with the client's address, for the audit log. */
  readonly by: Table[N]['auth'] extends 'staff' ? AuditContext : undefined;
  /** The address of the pages, for the endpoints of the admin page and those that set a cookie. */
  readonly site: N extends BrowserEndpointName ? Site : undefined;
  readonly headers: IncomingHttpHeaders;
  readonly cookies: FastifyRequest['cookies'];
  /** The client's address, as reported by trusted proxies if there are any. */
  readonly address: string;
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

/** Returns the body of the response; on `reply` it sets a cookie, or the status of one of the `otherResponses`. */
export type Handler<N extends AnyEndpointName> = (
  input: Input<N>,
  reply: FastifyReply,
) => Answer<N> | Promise<Answer<N>>;
