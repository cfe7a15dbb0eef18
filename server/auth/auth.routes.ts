/** The `/auth/*` endpoints. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import type { AuthService } from './auth.service.ts';

export function addAuthRoutes(routes: EndpointRoutes, auth: AuthService): void {
  routes.add('signup', ({ body, address }) => auth.signup(body, address));
  routes.add('login', ({ body, address }) => auth.login(body, address));
  routes.add('refresh', ({ body, headers, address }) =>
    auth.refresh(body.refresh_token, { idempotencyKey: readIdempotencyKey(headers['idempotency-key']), address }),
  );
  routes.add('logout', async ({ body, address }) => {
    await auth.logout(body.refresh_token, { allDevices: body.all_devices, address });
    return { success: true };
  });
}
