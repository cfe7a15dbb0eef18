/** Serves the OpenAPI documents. */
import type { FastifyInstance } from 'fastify';
import { apiRoot } from '../../shared/api/endpoints.ts';
import type { EndpointLimit, RequestLimiter } from '../http/request-limiter.ts';
import type { Json } from './named-schemas.ts';

const documents: Readonly<Record<string, () => Promise<Json>>> = {
  'openapi.json': async () => (await import('./openapi-document.ts')).openApiDocument(''),
  'admin/openapi.json': async () => (await import('./openapi-document.ts')).adminOpenApiDocument(''),
};

/**
 * Rate limited like an endpoint, and generated with the first request. The server URL in the documents is relative, so it
 * is right behind any proxy.
 */
export function addOpenApiRoutes(app: FastifyInstance, limiter: RequestLimiter): void {
  const limit = limiter.limitOf('default', 'openapi');
  for (const [path, generate] of Object.entries(documents)) {
    let document: Promise<string> | undefined;
    app.get(`${apiRoot}/${path}`, async (request, reply) => {
      await limit.countAddress(request);
      document ??= generate().then((json) => JSON.stringify(json));
      return reply.header('content-type', 'application/json; charset=utf-8').send(await document);
    });
  }
  addDocsPage(app, limit);
}

/** `/api/docs`, for people. */
function addDocsPage(app: FastifyInstance, limit: EndpointLimit): void {
  let page: string | undefined;
  app.get('/api/docs', async (request, reply) => {
    await limit.countAddress(request);
    const { docsPagePolicy, renderDocsPage } = await import('./docs-page.ts');
    page ??= renderDocsPage((await import('./openapi-document.ts')).openApiDocument(''));
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', docsPagePolicy)
      .send(page);
  });
}
