/** Staff endpoints: sessions, passwords, passkeys, one-time links and membership. */
import type { FastifyReply } from 'fastify';
import type { StaffSession } from '../../shared/api/admin/session.ts';
import { toIso } from '../clock.ts';
import { browserOf, createSessionCookie } from '../http/cookies.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';
import { allowsPasskeys, type Site, urlOf } from './signed-in-staff.ts';
import { type CreatedLink, formatWelcomeUrl } from './staff-link.ts';
import type { OpenedSession, StaffSessionService } from './staff-session.service.ts';

export function addStaffRoutes(routes: EndpointRoutes, services: Services): void {
  addSessionRoutes(routes, services);
  addPasswordRoutes(routes, services);
  addPasskeyRoutes(routes, services);
  addMemberRoutes(routes, services);
}

function addSessionRoutes(routes: EndpointRoutes, { staffSessions, staffSignIn }: Services): void {
  const respond = createSessionResponse(staffSessions);
  routes.add('staffSignIn', async (request, reply) =>
    respond(await staffSignIn.signIn(request.body, browserOf(request, 'staff')), request.site, reply),
  );
  routes.add('welcome', ({ body }) => staffSignIn.readLink(body.token));
  routes.add('redeemWelcome', async (request, reply) =>
    respond(await staffSignIn.redeem(request.body, browserOf(request, 'staff')), request.site, reply),
  );
  routes.add('staffSession', ({ staff, site }) => staffSessions.describe(staff.sessionId, allowsPasskeys(site)));
  routes.add('staffConfirm', async ({ staff, body, site, by }, reply) =>
    respond(await staffSignIn.confirm(staff, body.password, by), site, reply),
  );
  routes.add('staffSignOut', async ({ staff, site, by }, reply) => {
    await staffSessions.signOut(staff, by);
    reply.setCookie(...createSessionCookie('staff', undefined, site));
  });
  routes.add('staffSessions', ({ staff }) => staffSessions.list(staff));
  routes.add('endStaffSession', ({ staff, params, by }) => staffSessions.end(staff.id, params.id, by));
}

function addPasswordRoutes(routes: EndpointRoutes, services: Services): void {
  const { staffSessions, staffPasswords, passwords, passwordReset, mailQueue, singleSignOn } = services;
  const respond = createSessionResponse(staffSessions);
  routes.add('staffSignInOptions', () => ({
    can_reset_password: mailQueue.isOn,
    password_min_length: passwords.minLength,
    single_sign_on: singleSignOn !== undefined,
  }));
  routes.add('changeStaffPassword', async (request, reply) =>
    respond(await staffPasswords.change(request.staff, request.body, browserOf(request, 'staff')), request.site, reply),
  );
  routes.add('forgotStaffPassword', ({ body: { email, language }, ip: address }) =>
    passwordReset.request(email, { address, language }),
  );
}

function addPasskeyRoutes(routes: EndpointRoutes, { staffSessions, staffAdmin, passkeys }: Services): void {
  const respond = createSessionResponse(staffSessions);
  routes.add('staffPasskeyOptions', ({ site }) => passkeys.signInOptions(site));
  routes.add('staffPasskeySignIn', async (request, reply) =>
    respond(await passkeys.signIn(request.body, request.site, browserOf(request, 'staff')), request.site, reply),
  );
  routes.add('staffConfirmPasskeyOptions', ({ staff, site }) => passkeys.confirmOptions(staff, site));
  routes.add('staffConfirmPasskey', async ({ staff, body, site, by }, reply) =>
    respond(await passkeys.confirm(staff, body, { site, by }), site, reply),
  );
  routes.add('passkeys', async ({ staff }) => ({ passkeys: await passkeys.list(staff.id) }));
  routes.add('memberPasskeys', async ({ params }) => {
    const { id } = await staffAdmin.get(params.id);
    return { passkeys: await passkeys.list(id) };
  });
  routes.add('addPasskeyOptions', ({ staff, site }) => passkeys.addOptions(staff, site));
  routes.add('addPasskey', ({ staff, body, site, by }) => passkeys.add(staff, body, { site, by }));
  routes.add('removePasskey', async ({ staff, params, by }) => {
    const staffId = staff.role === 'owner' ? 'any' : staff.id;
    const removal = { credentialId: params.id, staffId, keptId: staff.sessionId };
    await passkeys.remove(removal, by);
  });
}

function addMemberRoutes(routes: EndpointRoutes, { staffAdmin }: Services): void {
  routes.add('staff', async () => ({ staff: await staffAdmin.list() }));
  routes.add('addStaff', async ({ body, site, by }) => {
    const { member, link } = await staffAdmin.addWithLink(body.email, body.role, by);
    return { staff: member, link: describeLink(link, site) };
  });
  routes.add('setStaffRole', ({ params, body, by }) => staffAdmin.setRole(params.id, body.role, by));
  routes.add('removeStaff', async ({ params, by }) => {
    await staffAdmin.remove(params.id, by);
  });
  routes.add('createStaffLink', async ({ params, site, by }) =>
    describeLink(await staffAdmin.createLink(params.id, by), site),
  );
}

function createSessionResponse(staffSessions: StaffSessionService) {
  return async ({ id, token }: OpenedSession, site: Site, reply: FastifyReply): Promise<StaffSession> => {
    const session = await staffSessions.describe(id, allowsPasskeys(site));
    reply.setCookie(...createSessionCookie('staff', token, site));
    return session;
  };
}

function describeLink({ token, expiresAtMs }: CreatedLink, site: Site) {
  return { url: formatWelcomeUrl(urlOf(site), token), expires_at: toIso(expiresAtMs) };
}
