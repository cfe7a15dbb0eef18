/** Admin page endpoints for accounts. */
import type { AccountRecordForStaff, AccountRow } from '../../shared/api/admin/accounts.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
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

/** Maximum number of licenses included; the others are in the list of licenses. */
const shownLicenses = 10;

export function addAccountAdminRoutes(routes: EndpointRoutes, services: Services, lists: ListResponses): void {
  const { accounts, staffPasswords, accountList, subscriptions, statistics } = services;
  const estimate = () => statistics.estimate('accounts');
  routes.add('accounts', ({ query }) => lists.read(accountList, query, { name: 'accounts', csv, estimate }));
  routes.add('account', ({ params }) => describeAccount(services, params.id));
  routes.add('createAccount', async ({ body, by }) => {
    const { id } = await accounts.create(body, by);
    return describeAccount(services, id);
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

/** Returns the account with everything that belongs to it. Throws `ApiError` NOT_FOUND. */
async function describeAccount(services: Services, id: string): Promise<AccountRecordForStaff> {
  const { accounts, subscriptions, entitlements, licenseAdmin, licenseList } = services;
  const { apiKeyAdmin, refreshTokens, staffMembers } = services;
  const account = await accounts.get(id);
  const { email, full_name, createdAtMs, passwordChangedAtMs, hasPassword, emailConfirmedAtMs } = account;
  return {
    id,
    email,
    full_name,
    created_at: toIso(createdAtMs),
    email_confirmed_at: toIsoOrNull(emailConfirmedAtMs),
    email_confirmation_missing: !accounts.mayReceiveByEmail(account),
    password_changed_at: toIso(passwordChangedAtMs),
    has_password: hasPassword,
    role: (await staffMembers.findRole(id)) ?? null,
    subscription: (await subscriptions.get(id)) ?? null,
    other_subscriptions: await subscriptions.listOthers(id),
    entitlement: await entitlements.explain(id),
    licenses: [...(await licenseList.readPage({ account: email }, { limit: shownLicenses })).rows],
    license_totals: await licenseAdmin.totalsOf(id),
    api_key: (await apiKeyAdmin.get(id)) ?? null,
    sessions: await refreshTokens.listSessions(id),
  };
}
