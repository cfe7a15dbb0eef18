/** How SQLite finds the pages of the admin page's lists: by an index in their order, so never by sorting or reading a table. */
import { expect, it } from 'vitest';
import { countAccounts, listAccountIds } from '../../../server/accounts/account-list.repository.ts';
import { listDeviceIds } from '../../../server/activations/device-list.repository.ts';
import { listApiKeyIds } from '../../../server/api-keys/api-key-list.repository.ts';
import { listEntryIds } from '../../../server/audit/audit-list.repository.ts';
import type { Transaction } from '../../../server/database/database.ts';
import { listLicenseIds } from '../../../server/licenses/license-list.repository.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();
const nowMs = 1_700_000_000_000;
const id = '01a20324-6eb6-75d1-b661-0225cf094a9e';
const first = { limit: 50 };
const next = { limit: 50, after: id };
const following = { limit: 50, after: `${id} text` };

type Work = (transaction: Transaction) => Promise<unknown>;

it.each<[string, Work]>([
  ['all accounts', (t) => listAccountIds(t, { nowMs }, next)],
  ['accounts by email', (t) => listAccountIds(t, { nowMs, search: 'a' }, following)],
  ['accounts by status', (t) => listAccountIds(t, { nowMs, status: 'past_due' }, next)],
  ['accounts whose subscription is over', (t) => listAccountIds(t, { nowMs, status: 'expired' }, next)],
  ['accounts without a subscription', (t) => listAccountIds(t, { nowMs, status: 'none' }, next)],
  ['accounts by plan', (t) => listAccountIds(t, { nowMs, plan: 'free', status: 'active' }, next)],
  ['the count of accounts', (t) => countAccounts(t, { nowMs, search: 'a', status: 'active' })],
  ['all licenses', (t) => listLicenseIds(t, { nowMs }, next)],
  ['licenses by preview', (t) => listLicenseIds(t, { nowMs, search: { preview: 'SVC-' } }, following)],
  ['licenses by email', (t) => listLicenseIds(t, { nowMs, search: { email: 'a' } }, first)],
  ['licenses by status', (t) => listLicenseIds(t, { nowMs, status: 'revoked' }, next)],
  ['licenses that are over', (t) => listLicenseIds(t, { nowMs, status: 'expired' }, next)],
  ['licenses by plan', (t) => listLicenseIds(t, { nowMs, plan: 'free' }, next)],
  ['all devices', (t) => listDeviceIds(t, {}, next)],
  ['devices by id', (t) => listDeviceIds(t, { search: { deviceId: 'HW-' } }, first)],
  ['devices by name', (t) => listDeviceIds(t, { search: { name: 'a' } }, following)],
  ['devices by email', (t) => listDeviceIds(t, { search: { email: 'a' } }, first)],
  ['devices by activity', (t) => listDeviceIds(t, { seen: { fromMs: 0, toMs: 1 } }, next)],
  ['all API keys', (t) => listApiKeyIds(t, {}, next)],
  ['API keys by prefix', (t) => listApiKeyIds(t, { search: { prefix: 'svc' } }, following)],
  ['revoked API keys', (t) => listApiKeyIds(t, { state: 'revoked' }, next)],
  ['legacy API keys', (t) => listApiKeyIds(t, { state: 'legacy' }, next)],
  ['the audit log', (t) => listEntryIds(t, { sinceMs: 1, untilMs: 2, action: 'license' }, next)],
])('%s', async (_, work) => {
  const steps = (await readQueryPlan(server, work)).split('\n');
  expect(steps.some((step) => step.startsWith('SEARCH') || step.startsWith('SCAN'))).toBe(true);
  for (const [index, step] of steps.entries()) {
    // The few subscriptions of one account are sorted to find the best one.
    if (steps[index - 5]?.startsWith('SEARCH best USING INDEX')) continue;
    // Rows with the same text are sorted by their ids; a few, because the texts are hardly ever the same.
    expect(step).not.toMatch(/USE TEMP B-TREE FOR ORDER BY/);
    if (step.startsWith('SCAN') && step !== 'SCAN scanned') expect(step).toMatch(/USING (COVERING )?INDEX/);
  }
});
