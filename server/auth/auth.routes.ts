/** The `/auth/*` endpoints. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import type { Services } from '../services.ts';

export function addAuthRoutes(routes: EndpointRoutes, services: Services): void {
  const { auth, sessions } = services;
  routes.add('signup', ({ body, client }) => auth.signup(body, client));
  routes.add('login', ({ body, client }) => auth.login(body, client));
  routes.add('refresh', ({ body, headers, ip: address }) =>
    auth.refresh(body.refresh_token, { idempotencyKey: readIdempotencyKey(headers['idempotency-key']), address }),
  );
  routes.add('logout', ({ body, ip: address }) =>
    auth.logout(body.refresh_token, { allDevices: body.all_devices, address }),
  );
  routes.add('sessions', async ({ user }) => ({ sessions: await sessions.list(user) }));
  routes.add('endSession', ({ user, params, ip: address }) => sessions.end(user, params.session_id, address));
}

export function addPasswordRoutes(
  routes: EndpointRoutes,
  { passwordChange, passwordReset, accountDeletion }: Services,
): void {
  routes.add('changePassword', ({ user, body, client }) => passwordChange.change(user, body, client));
  routes.add('forgotPassword', ({ body, client }) => passwordReset.request(body.email, client));
  routes.add('deleteOwnAccount', ({ user, body, client }) => accountDeletion.remove(user, body.password, client));
  routes.add('resetPassword', ({ body, client }) => passwordReset.reset(body.token, body.new_password, client));
}

export function addEmailRoutes(routes: EndpointRoutes, { emailChange }: Pick<Services, 'emailChange'>): void {
  routes.add('emailStatus', ({ user }) => emailChange.readStatus(user));
  routes.add('changeEmail', ({ user, body, client }) => emailChange.request(user, body, client));
  routes.add('sendEmailConfirmation', ({ user, client }) => emailChange.sendConfirmation(user, client));
  routes.add('confirmEmail', async ({ body, client }) => ({
    success: true,
    email: await emailChange.confirm(body.token, client),
  }));
}
