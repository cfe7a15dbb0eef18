/** `/license/lease`, and the public keys for verifying leases at `/.well-known/jwks.json` (RFC 7517 §5). */
import type { FastifyInstance } from 'fastify';
import { leaseKeysPath } from '../../shared/api/lease.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { RequestLimiter } from '../http/request-limiter.ts';
import type { Services } from '../services.ts';

export function addLeaseRoutes(routes: EndpointRoutes, { leases }: Services): void {
  routes.add('lease', ({ user, body, by }) => leases.issue(user.id, body.device_id, by));
}

/**
 * Adds the route, which is rate limited like an endpoint. Programs that verify leases fetch the keys again when a lease
 * names an unknown one.
 */
export function addJwksRoute(app: FastifyInstance, limiter: RequestLimiter, { leases }: Services): void {
  const { countAddress } = limiter.limitOf('default', 'jwks');
  app.get(leaseKeysPath, { onRequest: countAddress }, async () => ({ keys: await leases.listPublicKeys() }));
}
