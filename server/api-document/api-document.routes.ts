/** Serves the OpenAPI document of the interface (decisions "Extensions"). */
import type { FastifyInstance } from 'fastify';
import { apiRoot } from '../../shared/api/endpoints.ts';
import { apiDocument } from './api-document.ts';

/** Made once, not limited, open to everyone. Its address of the server is relative: it holds behind any proxy. */
export function addApiDocumentRoute(app: FastifyInstance): void {
  const document = JSON.stringify(apiDocument(''));
  app.get(`${apiRoot}/openapi.json`, async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(document),
  );
}
