/** The `/auth/*` endpoints. */
import type { IncomingHttpHeaders } from 'node:http';
import { chooseLanguage } from '../accept-language.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import type { Services } from '../services.ts';
import type { Client } from './auth.service.ts';

export function addAuthRoutes(routes: EndpointRoutes, services: Services): void {
  const { auth, sessions } = services;
  routes.add('signup', ({ body, ...input }) => auth.signup(body, toClient(input)));
  routes.add('login', ({ body, ...input }) => auth.login(body, toClient(input)));
  routes.add('refresh', ({ body, headers, address }) =>
    auth.refresh(body.refresh_token, { idempotencyKey: readIdempotencyKey(headers['idempotency-key']), address }),
  );
  routes.add('logout', async ({ body, address }) => {
    await auth.logout(body.refresh_token, { allDevices: body.all_devices, address });
    return { success: true };
  });
  routes.add('sessions', async ({ user }) => ({ sessions: await sessions.list(user) }));
  routes.add('endSession', async ({ user, params, address }) => {
    await sessions.end(user, params.session_id, address);
    return { success: true };
  });
}

export function addPasswordRoutes(
  routes: EndpointRoutes,
  { passwordChange, passwordReset, accountDeletion }: Services,
): void {
  routes.add('changePassword', async ({ user, body, ...input }) => {
    await passwordChange.change(user, body, toMailClient(input));
    return { success: true };
  });
  routes.add('forgotPassword', async ({ body, ...input }) => {
    await passwordReset.request(body.email, toMailClient(input));
    return { success: true };
  });
  routes.add('deleteOwnAccount', async ({ user, body, ...input }) => {
    await accountDeletion.remove(user, body.password, toMailClient(input));
    return { success: true };
  });
  routes.add('resetPassword', async ({ body, ...input }) => {
    await passwordReset.reset(body.token, body.new_password, toMailClient(input));
    return { success: true };
  });
}

export function addEmailRoutes(routes: EndpointRoutes, { emailChange }: Pick<Services, 'emailChange'>): void {
  routes.add('emailStatus', ({ user }) => emailChange.readStatus(user));
  routes.add('changeEmail', async ({ user, body, ...input }) => {
    await emailChange.request(user, body, toMailClient(input));
    return { success: true };
  });
  routes.add('sendEmailConfirmation', async ({ user, ...input }) => {
    await emailChange.sendConfirmation(user, toMailClient(input));
    return { success: true };
  });
  routes.add('confirmEmail', async ({ body, ...input }) => ({
    success: true,
    email: await emailChange.confirm(body.token, toMailClient(input)),
  }));
}

/** Returns the address and language of a client whose request causes a mail. */
function toMailClient({ headers, address }: { headers: IncomingHttpHeaders; address: string }) {
  return { address, language: chooseLanguage(headers['accept-language']) };
}

function toClient({ headers, address }: { headers: IncomingHttpHeaders; address: string }): Client {
  const language = chooseLanguage(headers['accept-language']);
  return { address, userAgent: headers['user-agent'] ?? '', language };
}
