/** The `/auth/*` endpoints. */
import type { EndpointRoutes } from '../http/contract-route.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import type { AuthService } from './auth.service.ts';

export function addAuthRoutes(routes: EndpointRoutes, auth: AuthService): void {
  routes.add('signup', ({ body }) => auth.signup(body));
  routes.add('login', ({ body }) => auth.login(body));
  routes.add('refresh', ({ body, headers }) =>
    auth.refresh(body.refresh_token, readIdempotencyKey(headers['idempotency-key'])),
  );
  routes.add('logout', async ({ body }) => {
    await auth.logout(body.refresh_token, body.all_devices);
    return { success: true };
  });
}
