/** The endpoint that tells a client what the user is entitled to. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

export function addEntitlementRoutes(routes: EndpointRoutes, { entitlements }: Services): void {
  routes.add('subscriptionStatus', ({ user }) => entitlements.status(user.id));
}
