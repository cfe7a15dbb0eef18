/** The `/auth/*` endpoints. */
import { ApiError } from '../errors.ts';
import type { EndpointRoutes } from '../http/contract-route.ts';
import type { AuthService } from './auth.service.ts';

const maxIdempotencyKeyLength = 255;

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

/** An empty header counts as none. */
function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header === '') return undefined;
  if (header.length <= maxIdempotencyKeyLength) return header;
  throw new ApiError(
    'VALIDATION_ERROR',
    `The Idempotency-Key header must have at most ${maxIdempotencyKeyLength} characters.`,
  );
}
