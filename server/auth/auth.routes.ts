/** The `/auth/*` endpoints. */
import type { FastifyRequest } from 'fastify';
import { chooseLanguage } from '../accept-language.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import type { Services } from '../services.ts';
import type { SignInClient } from './auth.service.ts';
import type { Client } from './signed-in-user.ts';

export function addAuthRoutes(routes: EndpointRoutes, services: Services): void {
  const { auth, sessions } = services;
  routes.add('signup', (request) => auth.signup(request.body, toSignInClient(request)));
  routes.add('login', (request) => auth.login(request.body, toSignInClient(request)));
  routes.add('refresh', ({ body, headers, ip: address }) =>
    auth.refresh(body.refresh_token, { idempotencyKey: readIdempotencyKey(headers['idempotency-key']), address }),
  );
  routes.add('logout', async ({ body, ip: address }) => {
    await auth.logout(body.refresh_token, { allDevices: body.all_devices, address });
    return { success: true };
  });
  routes.add('sessions', async ({ user }) => ({ sessions: await sessions.list(user) }));
  routes.add('endSession', async ({ user, params, ip: address }) => {
    await sessions.end(user, params.session_id, address);
    return { success: true };
  });
}

export function addPasswordRoutes(
  routes: EndpointRoutes,
  { passwordChange, passwordReset, accountDeletion }: Services,
): void {
  routes.add('changePassword', async (request) => {
    const { user, body } = request;
    await passwordChange.change(user, body, toClient(request));
    return { success: true };
  });
  routes.add('forgotPassword', async (request) => {
    await passwordReset.request(request.body.email, toClient(request));
    return { success: true };
  });
  routes.add('deleteOwnAccount', async (request) => {
    const { user, body } = request;
    await accountDeletion.remove(user, body.password, toClient(request));
    return { success: true };
  });
  routes.add('resetPassword', async (request) => {
    const { token, new_password } = request.body;
    await passwordReset.reset(token, new_password, toClient(request));
    return { success: true };
  });
}

export function addEmailRoutes(routes: EndpointRoutes, { emailChange }: Pick<Services, 'emailChange'>): void {
  routes.add('emailStatus', ({ user }) => emailChange.readStatus(user));
  routes.add('changeEmail', async (request) => {
    const { user, body } = request;
    await emailChange.request(user, body, toClient(request));
    return { success: true };
  });
  routes.add('sendEmailConfirmation', async (request) => {
    await emailChange.sendConfirmation(request.user, toClient(request));
    return { success: true };
  });
  routes.add('confirmEmail', async (request) => ({
    success: true,
    email: await emailChange.confirm(request.body.token, toClient(request)),
  }));
}

function toSignInClient(request: FastifyRequest): SignInClient {
  return { ...toClient(request), userAgent: request.headers['user-agent'] ?? '' };
}

function toClient({ headers, ip: address }: FastifyRequest): Client {
  return { address, language: chooseLanguage(headers['accept-language']) };
}
