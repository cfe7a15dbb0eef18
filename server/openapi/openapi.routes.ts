/** Serves the OpenAPI document at `/api/v1/openapi.json`. */
import type { FastifyInstance } from 'fastify';
import { apiRoot } from '../../shared/api/endpoints.ts';
import { rateLimitAddress } from '../http/network-address.ts';
import type { RequestLimiter } from '../http/request-limiter.ts';
import { openApiDocument } from './openapi-document.ts';

/** Rate limited like an endpoint. The server URL in the document is relative, so it is right behind any proxy. */
export function addOpenApiRoute(app: FastifyInstance, limiter: RequestLimiter): void {
  const document = JSON.stringify(openApiDocument(''));
  app.get(`${apiRoot}/openapi.json`, async (request, reply) => {
    const client = `address ${rateLimitAddress(request.ip)}`;
    await limiter.count({ bucket: 'default', endpoint: 'openapi', client }, reply);
    return reply.header('content-type', 'application/json; charset=utf-8').send(document);
  });
}
