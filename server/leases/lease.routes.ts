/** `/license/lease`, and the public keys for verifying leases at `/.well-known/jwks.json` (RFC 7517 §5). */
import type { FastifyInstance } from 'fastify';
import { leaseKeysPath } from '../../shared/api/lease.ts';
import { byUser } from '../audit/audit-event.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { RequestLimiter } from '../http/request-limiter.ts';
import type { Services } from '../services.ts';

export function addLeaseRoutes(routes: EndpointRoutes, { leases }: Services): void {
  routes.add('lease', ({ user, body, address }) => leases.issue(user.id, body.device_id, byUser(user.id, address)));
}

/**
 * Adds the route, which is rate limited like an endpoint. Programs that verify leases fetch the keys again when a lease
 * names an unknown one.
 */
export function addJwksRoute(app: FastifyInstance, limiter: RequestLimiter, { leases }: Services): void {
  const limit = limiter.limitOf('default', 'jwks');
  app.get(leaseKeysPath, async (request, reply) => {
    await limit.countAddress(request);
    const keys = await leases.listPublicKeys();
    return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify({ keys }));
  });
}
