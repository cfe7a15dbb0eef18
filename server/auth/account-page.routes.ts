import { browserOf, createSessionCookie } from '../http/cookies.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

export function addAccountPageSessionRoutes(routes: EndpointRoutes, { auth, accounts }: Services): void {
  routes.add('accountSignIn', async (request, reply) => {
    const { user, token } = await auth.loginToAccountPage(request.body, browserOf(request, 'account'));
    reply.setCookie(...createSessionCookie('account', token, request.site));
    return { user };
  });
  routes.add('accountSession', async ({ user }) => {
    const { id, email, full_name } = await accounts.getSignedIn(user.id);
    return { user: { id, email, full_name } };
  });
  routes.add('accountSignOut', async ({ user, body, site, ip: address }, reply) => {
    await auth.signOut(user, { allDevices: body.all_devices, address });
    reply.setCookie(...createSessionCookie('account', undefined, site));
  });
}
