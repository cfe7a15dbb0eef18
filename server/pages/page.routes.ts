/**
 * Serves the admin page at `/admin` and the account page at `/account`, with their scripts and styles under `/assets/`.
 */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ApiError } from '../errors.ts';
import type { BuiltPages, PageFile } from './built-pages.ts';

/** Allows nothing from other origins, no inline script or style, no eval, no framing, and no HTML created from text. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Longer headers are not read: no browser sends more. */
const maxCodingsLength = 500;

const documentHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const notBuilt = 'This page has not been built. Run "npm run build", then start the server again.';

/** Adds the routes. They need no authentication: the pages contain no data except what they get from the API. */
export function addPageRoutes(
  app: FastifyInstance,
  pages: BuiltPages | undefined,
  { accountPage }: { readonly accountPage: boolean },
): void {
  for (const name of accountPage ? (['admin', 'account'] as const) : (['admin'] as const)) {
    // Relative, because a proxy may serve the page under a path of its own.
    app.get(`/${name}/`, async (_request, reply) => reply.redirect(`../${name}`, 308));
    app.get(`/${name}`, async (_request, reply) => {
      if (!pages) throw new ApiError('NOT_FOUND', notBuilt);
      return reply.headers(documentHeaders).send(pages[name]);
    });
  }
  for (const asset of pages?.assets ?? []) app.get(`/assets/${asset.name}`, createAssetSender(asset));
}

type Variant = { readonly content: Buffer; readonly headers: Readonly<Record<string, string>> };

/** Creates the handler of an asset, which compresses it once, for the first client that accepts that. */
function createAssetSender({ content, contentType }: PageFile) {
  const version = hash('sha256', content, 'base64url').slice(0, 22);
  const headers = {
    'content-type': contentType,
    'cache-control': 'public, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Accept-Encoding',
  };
  const plain: Variant = { content, headers: { ...headers, etag: `"${version}"` } };
  let compressed: Promise<Variant> | undefined;
  const compress = async (): Promise<Variant> => ({
    content: await promisify(gzip)(content, { level: 9 }),
    headers: { ...headers, etag: `"${version}-gzip"`, 'content-encoding': 'gzip' },
  });
  const compressOnce = () => {
    compressed ??= compress();
    return compressed;
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const variant = acceptsGzip(request) ? await compressOnce() : plain;
    const isKnown = request.headers['if-none-match']?.includes(variant.headers.etag ?? '');
    return isKnown
      ? reply.code(304).headers(variant.headers).send()
      : reply.headers(variant.headers).send(variant.content);
  };
}

/** Returns true if the client accepts gzip (RFC 9110, section 12.5.3). */
function acceptsGzip({ headers }: FastifyRequest): boolean {
  const codings = headers['accept-encoding']?.toString().slice(0, maxCodingsLength);
  return (
    codings !== undefined && new Negotiator({ headers: { 'accept-encoding': codings } }).encodings(['gzip']).length > 0
  );
}
