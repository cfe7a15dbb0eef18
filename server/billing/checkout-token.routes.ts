/** The endpoint of checkout tokens. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { CheckoutTokenService } from './checkout-token.service.ts';

export function addCheckoutTokenRoute(routes: EndpointRoutes, checkoutTokens: CheckoutTokenService): void {
  routes.add('checkoutToken', ({ user }) => checkoutTokens.issue(user.id));
}
