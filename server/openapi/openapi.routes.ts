/** Serves the OpenAPI documents. */
import type { FastifyInstance } from 'fastify';
import { apiRoot } from '../../shared/api/endpoints.ts';
import type { EndpointLimit, RequestLimiter } from '../http/request-limiter.ts';
import type { Json } from './named-schemas.ts';

const documents: Readonly<Record<string, (basePath: string) => Promise<Json>>> = {
  'openapi.json': async (basePath) => (await import('./openapi-document.ts')).openApiDocument(basePath),
  'admin/openapi.json': async (basePath) => (await import('./openapi-document.ts')).adminOpenApiDocument(basePath),
};

/**
 * Adds the documents, which are rate limited like an endpoint and generated with the first request. The server URL in
 * them is a path that begins with `basePath`, so it is correct behind any proxy.
 */
export function addOpenApiRoutes(app: FastifyInstance, limiter: RequestLimiter, basePath: string): void {
  const { countAddress } = limiter('default', 'openapi');
  for (const [path, generate] of Object.entries(documents)) {
    let document: Promise<string> | undefined;
    app.get(`${apiRoot}/${path}`, { onRequest: countAddress }, async (_request, reply) => {
      document ??= generate(basePath).then((json) => JSON.stringify(json));
      return reply.type('application/json; charset=utf-8').send(await document);
    });
  }
  addDocsPage(app, countAddress, basePath);
}

/** Adds `/api/docs`, the page for people. */
function addDocsPage(app: FastifyInstance, onRequest: EndpointLimit['countAddress'], basePath: string): void {
  let page: string | undefined;
  app.get('/api/docs', { onRequest }, async (_request, reply) => {
    const { docsPagePolicy, renderDocsPage } = await import('./docs-page.ts');
    page ??= renderDocsPage((await import('./openapi-document.ts')).openApiDocument(basePath));
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', docsPagePolicy)
      .send(page);
  });
}
