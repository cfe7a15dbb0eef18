/** The endpoint of the subscription. */
import type { EndpointRoutes } from '../http/contract-route.ts';
import type { EntitlementService } from './entitlement.service.ts';

export function addEntitlementRoutes(routes: EndpointRoutes, status: EntitlementService): void {
  routes.add('subscriptionStatus', ({ user }) => status.read(user.id));
}
