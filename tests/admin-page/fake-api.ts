/**
 * Answers the page's calls in place of the server: by the names of the endpoint table, with a value, a failure or
 * never.
 */
import type { Page, Route } from '@playwright/test';
import { type AdminEndpointName, type AdminResponseOf, adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import { apiRoot } from '../../shared/api/endpoints.ts';
import { type ErrorCode, errorTable } from '../../shared/api/errors.ts';
import {
  sampleAccount,
  sampleAccounts,
  sampleDevices,
  sampleFeatures,
  sampleLicense,
  sampleLicenses,
  samplePlans,
  samplePreview,
} from './sample-records.ts';
import { sampleApiKeys, sampleAudit, sampleInstallers, sampleOverview, sampleServer } from './sample-server.ts';
import { samplePasskeys, sampleSession, sampleSessions, sampleStaff } from './sample-staff.ts';
import { sampleDeliveries, sampleKeptEvents, sampleWebhooks } from './sample-webhooks.ts';

/** `never` leaves the call without a response, `unreachable` closes its connection. */
type Answer<N extends AdminEndpointName> = AdminResponseOf<N> | { readonly error: ErrorCode } | 'never' | 'unreachable';

export type Answers = { readonly [N in AdminEndpointName]?: Answer<N> };

const filled: Answers = {
  staffSession: sampleSession(),
  staffSignInOptions: { can_reset_password: true, password_min_length: 8, single_sign_on: false },
  accounts: sampleAccounts(25),
  account: sampleAccount(),
  licenses: sampleLicenses(14),
  license: sampleLicense(3),
  devices: sampleDevices(12),
  plans: samplePlans(),
  setPlan: samplePreview(),
  removeFeature: samplePreview(),
  suspendLicense: samplePreview(),
  featureRecords: sampleFeatures(),
  passkeys: samplePasskeys(),
  memberPasskeys: samplePasskeys(),
  staffSessions: sampleSessions(),
  staff: sampleStaff(),
  overview: sampleOverview(),
  audit: sampleAudit(),
  apiKeys: sampleApiKeys(),
  installers: sampleInstallers(),
  updateFeed: { versions: [] },
  serverInfo: sampleServer(),
  webhooks: sampleWebhooks(),
  webhookDeliveries: sampleDeliveries(6),
  billingEvents: sampleKeptEvents(3),
};

/**
 * Answers lists and records with samples, unless `answers` overrides them; an endpoint without an answer is
 * SERVICE_UNAVAILABLE.
 */
export async function fakeApi(page: Page, answers: Answers = {}): Promise<void> {
  const all: Answers = { ...filled, ...answers };
  await page.route(`**${apiRoot}/admin/**`, (route) => {
    const name = findEndpoint(route.request().method(), new URL(route.request().url()).pathname);
    return fulfill(route, (name === undefined ? undefined : all[name]) ?? { error: 'SERVICE_UNAVAILABLE' });
  });
}

function findEndpoint(method: string, path: string): AdminEndpointName | undefined {
  const names = Object.keys(adminEndpoints) as AdminEndpointName[];
  return names.find((name) => {
    const { method: its, path: template } = adminEndpoints[name];
    const pattern = new RegExp(`^${apiRoot}${template.replace(/:\w+/g, '[^/]+')}$`);
    return its === method && pattern.test(path);
  });
}

async function fulfill(route: Route, answer: unknown): Promise<void> {
  if (answer === 'never') return;
  if (answer === 'unreachable') return route.abort('connectionrefused');
  const code = (answer as { error?: ErrorCode }).error;
  if (code === undefined) return route.fulfill({ json: answer });
  const { status, message } = errorTable[code];
  return route.fulfill({ status, json: { error: message, code } });
}
