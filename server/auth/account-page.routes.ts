import { createSessionCookie, readSessionCookie } from '../http/cookies.ts';
import { WithCookie } from '../http/endpoint-handler.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

export function addAccountPageSessionRoutes(routes: EndpointRoutes, { auth, accounts }: Services): void {
  routes.add('accountSignIn', async ({ body, site, cookies, headers, address }) => {
    const previousToken = readSessionCookie('account', cookies, site);
    const browser = { address, userAgent: headers['user-agent'] ?? '', previousToken };
    const { user, token } = await auth.loginToAccountPage(body, browser);
    return new WithCookie({ user }, createSessionCookie('account', token, site));
  });
  routes.add('accountSession', async ({ user }) => {
    const { id, email, full_name } = await accounts.get(user.id);
    return { user: { id, email, full_name } };
  });
  routes.add('accountSignOut', async ({ user, body, site, address }) => {
    await auth.signOut(user, { allDevices: body.all_devices, address });
    return new WithCookie({ success: true as const }, createSessionCookie('account', undefined, site));
  });
}
