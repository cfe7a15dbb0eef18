/** Serves the OpenAPI document of the interface (decisions "Extensions"). */
import type { FastifyInstance } from 'fastify';
import { apiRoot } from '../../shared/api/endpoints.ts';
import { errorTable } from '../../shared/api/errors.ts';
import { ApiError } from '../errors.ts';
import { rateLimitAddress } from '../http/network-address.ts';
import { setRateHeaders } from '../http/rate-headers.ts';
import type { RateCounter } from '../rate-limits/rate-counter.ts';
import { openApiDocument } from './openapi-document.ts';

/**
 * Open to everyone, and limited as any endpoint; `limit` is requests a minute, 0 is none.
 * Its address of the server is relative, so that it holds behind any proxy.
 */
export function addOpenApiRoute(app: FastifyInstance, counter: RateCounter, limit: number): void {
  const document = JSON.stringify(openApiDocument(''));
  app.get(`${apiRoot}/openapi.json`, async (request, reply) => {
    if (limit > 0) {
      const verdict = await counter.take(`openapi address ${rateLimitAddress(request.ip)}`, limit);
      setRateHeaders(reply, 'openapi', verdict);
      if (!verdict.admitted) throw new ApiError('RATE_LIMITED', errorTable.RATE_LIMITED.message, verdict.resetSeconds);
    }
    return reply.header('content-type', 'application/json; charset=utf-8').send(document);
  });
}
