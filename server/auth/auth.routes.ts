/** The `/auth/*` endpoints. */

import type { AccountService } from '../accounts/account.service.ts';
import { ApiError } from '../errors.ts';
import type { EndpointRoutes } from '../http/contract-route.ts';

const longestRetryKey = 255;

export function addAuthRoutes(routes: EndpointRoutes, accounts: AccountService): void {
  routes.add('signup', ({ body }) => accounts.signup(body));
  routes.add('login', ({ body }) => accounts.login(body));
  routes.add('refresh', ({ body, headers }) => accounts.refresh(body.refresh_token, readRetryKey(headers)));
  routes.add('logout', async ({ body }) => {
    await accounts.logout(body.refresh_token, body.all_devices);
    return { success: true };
  });
}

/** The Idempotency-Key; an empty one counts as none. */
function readRetryKey(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') return undefined;
  if (key.length <= longestRetryKey) return key;
  throw new ApiError('VALIDATION_ERROR', `The header Idempotency-Key must have at most ${longestRetryKey} characters.`);
}
