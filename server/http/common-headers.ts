/** Headers of every response: security, the request's id, and what is left of its rate limit. */
import type { FastifyInstance } from 'fastify';
import { limitHeaders } from './rate-limit-headers.ts';
import { requestIdHeader } from './request-id.ts';
import { addSecurityHeaders } from './security-headers.ts';

export function addCommonHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    addSecurityHeaders(reply);
    reply.header(requestIdHeader, request.id);
    if (request.limit) reply.headers(limitHeaders(request.limit));
    done();
  });
}
