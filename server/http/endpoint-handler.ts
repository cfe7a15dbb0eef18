/** What the handler of an endpoint gets and what it returns, by the entry of the endpoint in its table. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import { type Endpoint, endpoints } from '../../shared/api/endpoints.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { SignedInUser } from '../auth/signed-in-user.ts';
import type { SignedInStaff, Site } from '../staff/signed-in-staff.ts';
import type { Cookie } from './cookies.ts';
import type { UploadedFile } from './file-upload.ts';

type Table = typeof endpoints & typeof adminEndpoints;

/** Of the API and of the admin page. */
export type AnyEndpointName = keyof Table;

/** Only a page of this server may send these. */
type BrowserEndpointName = {
  [N in AnyEndpointName]: N extends keyof typeof adminEndpoints ? N : Table[N] extends { setsCookie: true } ? N : never;
}[AnyEndpointName];

export function findEndpoint(name: AnyEndpointName): Endpoint {
  return { ...endpoints, ...adminEndpoints }[name];
}

/** The parsed request, with nothing left of HTTP but headers, cookies and address. */
export type Input<N extends AnyEndpointName> = {
  /** The parsed body; the hash of a file; `undefined` if the endpoint takes none. */
  readonly body: Table[N] extends { request: infer R extends z.ZodType }
    ? z.output<R>
    : Table[N] extends { upload: number }
      ? UploadedFile
      : undefined;
  /** The parsed parameters of the path. */
  readonly params: Table[N] extends { params: infer P extends z.ZodType } ? z.output<P> : undefined;
  /** The parsed query. */
  readonly query: Table[N] extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  /** The signed-in user; `undefined` if the endpoint needs no authentication. */
  readonly user: Table[N]['auth'] extends 'bearer' ? SignedInUser : undefined;
  /** The member of staff, for an endpoint that only staff may use. */
  readonly staff: Table[N]['auth'] extends 'staff' ? SignedInStaff : undefined;
  /** The same member and address, for the audit log. */
  readonly by: Table[N]['auth'] extends 'staff' ? AuditContext : undefined;
  /** Where the pages are, for the endpoints of the admin page and those that set a cookie. */
  readonly site: N extends BrowserEndpointName ? Site : undefined;
  readonly headers: IncomingHttpHeaders;
  readonly cookies: FastifyRequest['cookies'];
  /** The client's address, taken from trusted proxies if there are any. */
  readonly address: string;
};

/** A response with a status other than 200, from the endpoint's `otherResponses`. */
export class OtherResponse {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}

/** A response that also sets a cookie. */
export class WithCookie<T> {
  readonly body: T;
  readonly cookie: Cookie;

  constructor(body: T, cookie: Cookie) {
    this.body = body;
    this.cookie = cookie;
  }
}

/** A response that is a CSV file, sent while it is read. */
export class CsvFile {
  /** Of the file, without its extension. */
  readonly name: string;
  readonly parts: AsyncGenerator<string>;

  constructor(name: string, parts: AsyncGenerator<string>) {
    this.name = name;
    this.parts = parts;
  }
}

type Response<N extends AnyEndpointName> = z.output<Table[N]['response']>;
type CookieAnswer<N extends AnyEndpointName> = N extends BrowserEndpointName ? WithCookie<Response<N>> : never;
type CsvAnswer<N extends AnyEndpointName> = N extends keyof typeof adminEndpoints ? CsvFile : never;
type Answer<N extends AnyEndpointName> = Response<N> | OtherResponse | CookieAnswer<N> | CsvAnswer<N>;

export type Handler<N extends AnyEndpointName> = (input: Input<N>) => Answer<N> | Promise<Answer<N>>;
