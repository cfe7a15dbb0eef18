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
  routes.add('changePassword', async (request) => {
    const { user, body } = request;
    await passwordChange.change(user, body, toClient(request));
  });
  routes.add('forgotPassword', (request) => passwordReset.request(request.body.email, toClient(request)));
  routes.add('deleteOwnAccount', async (request) => {
    const { user, body } = request;
    await accountDeletion.remove(user, body.password, toClient(request));
  });
  routes.add('resetPassword', async (request) => {
    const { token, new_password } = request.body;
    await passwordReset.reset(token, new_password, toClient(request));
  });
}

export function addEmailRoutes(routes: EndpointRoutes, { emailChange }: Pick<Services, 'emailChange'>): void {
  routes.add('emailStatus', ({ user }) => emailChange.readStatus(user));
  routes.add('changeEmail', async (request) => {
    const { user, body } = request;
    await emailChange.request(user, body, toClient(request));
  });
  routes.add('sendEmailConfirmation', (request) => emailChange.sendConfirmation(request.user, toClient(request)));
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
