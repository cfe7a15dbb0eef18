/** `/license/lease`, and the public keys for verifying leases at `/.well-known/jwks.json` (RFC 7517 §5). */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

export function addLeaseRoutes(routes: EndpointRoutes, { leases }: Services): void {
  routes.add('lease', ({ user, body, by }) => leases.issue(user.id, body.device_id, by));
  routes.add('jwks', async () => ({ keys: await leases.listPublicKeys() }));
}
