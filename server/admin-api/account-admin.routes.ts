/** Admin page endpoints for accounts. */
import type { AccountRow } from '../../shared/api/admin/accounts.ts';
import { toIso } from '../clock.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';
import { urlOf } from '../staff/signed-in-staff.ts';
import type { CsvLayout, ListResponses } from './list-response.ts';

const csv: CsvLayout<AccountRow> = {
  name: 'accounts',
  columns: [
    'id',
    'email',
    'full_name',
    'created_at',
    'plan',
    'status',
    'current_period_end',
    'licenses',
    'devices',
    'email_confirmed_at',
  ],
};

export function addAccountAdminRoutes(routes: EndpointRoutes, services: Services, lists: ListResponses): void {
  const { accounts, staffPasswords, accountDetails, accountList, subscriptions, statistics } = services;
  const estimate = () => statistics.estimate('accounts');
  routes.add('accounts', ({ query }) => lists.read(accountList, query, { name: 'accounts', csv, estimate }));
  routes.add('account', ({ params }) => accountDetails.get(params.id));
  routes.add('createAccount', async ({ body, by }) => {
    const { id } = await accounts.create(body, by);
    return accountDetails.get(id);
  });
  addInvitationRoutes(routes, services);
  routes.add('deleteAccount', ({ params, by }) => accounts.removeById(params.id, by));
  routes.add('setAccountPassword', ({ params, body, staff, by }) =>
    staffPasswords.setOfAccount(staff, params.id, body.password, by),
  );
  routes.add('setAccountSubscription', async ({ params, body, by }) => {
    await accounts.get(params.id);
    const { plan, status, current_period_end, cancel_at_period_end: cancelAtPeriodEnd } = body;
    const periodEnd = current_period_end === undefined ? {} : { periodEndMs: Date.parse(current_period_end) };
    const settings = { plan, status, cancelAtPeriodEnd, ...periodEnd };
    return subscriptions.set(params.id, settings, by, { expectedUpdatedAt: body.expected_updated_at });
  });
  routes.add('endAccountSessions', ({ params, by }) => accounts.endAllSessions(params.id, by));
}

function addInvitationRoutes(routes: EndpointRoutes, { invitations }: Pick<Services, 'invitations'>): void {
  routes.add('inviteAccount', async ({ body, site, by }) => {
    const { account, link } = await invitations.invite(body, { ...by, siteUrl: urlOf(site) });
    const { id, email, full_name, createdAtMs } = account;
    return { user: { id, email, full_name, created_at: toIso(createdAtMs) }, link };
  });
  routes.add('sendInvitation', async ({ body, by }) => ({
    sent_to: await invitations.send(body.link, by),
  }));
}
