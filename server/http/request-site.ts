/** The address at which a browser reached the server, and whether a request came from a page at that address. */
import type { FastifyRequest } from 'fastify';
import { basePathOf } from '../base-path.ts';
import { ApiError } from '../errors.ts';
import type { Site } from '../staff/signed-in-staff.ts';

/**
 * Returns the site from LATCHKEY_PUBLIC_URL if it is set, else from the request. Not every proxy reports that it uses
 * TLS, so a request for the host of an https URL counts as secure. Throws `ApiError` VALIDATION_ERROR if the Host
 * header is invalid.
 */
export function siteOf(request: FastifyRequest, publicUrl: URL | undefined): Site {
  const isSecure = request.protocol === 'https' || (publicUrl?.protocol === 'https:' && isFor(request, publicUrl));
  const { origin, hostname } = publicUrl ?? readHost(request);
  return { origin, hostname, basePath: basePathOf(publicUrl), isConfigured: publicUrl !== undefined, isSecure };
}

/**
 * Rejects a request that a browser was made to send by a page of another site (CSRF). Browsers report this in
 * Sec-Fetch-Site; those without it send the page's Origin. A client that sends neither is rejected too. Throws
 * `ApiError` FORBIDDEN.
 */
export function requireSameOrigin(request: FastifyRequest, publicUrl: URL | undefined): void {
  const { 'sec-fetch-site': fetchSite, origin } = request.headers;
  if (fetchSite !== undefined ? fetchSite === 'same-origin' : isOwnOrigin(origin, request, publicUrl)) return;
  throw new ApiError('FORBIDDEN', 'Only a page of this server may send this request.');
}

function isFor({ host }: FastifyRequest, { protocol, origin }: URL): boolean {
  const url = `${protocol}//${host ?? ''}`;
  return URL.canParse(url) && new URL(url).origin === origin;
}

function isOwnOrigin(origin: string | undefined, request: FastifyRequest, publicUrl: URL | undefined): boolean {
  if (origin === undefined) return false;
  return origin === publicUrl?.origin || origin === readHost(request).origin;
}

function readHost(request: FastifyRequest): URL {
  const url = `${request.protocol}://${request.host ?? ''}`;
  if (!URL.canParse(url)) throw new ApiError('VALIDATION_ERROR', 'The Host header is not valid.');
  return new URL(url);
}
