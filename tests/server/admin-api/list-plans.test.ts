/**
 * How SQLite finds the pages of the lists on the admin page: through an index in their order, without sorting or
 * reading a whole table.
 */
import { expect, it } from 'vitest';
import { createAccountList } from '../../../server/accounts/account-list.ts';
import { deviceList } from '../../../server/activations/device-list.ts';
import { apiKeyList } from '../../../server/api-keys/api-key-list.ts';
import { auditList } from '../../../server/audit/audit-list.ts';
import { billingEventList } from '../../../server/billing/billing-event-list.ts';
import type { Transaction } from '../../../server/database/database.ts';
import { DatabaseList, type ListDefinition } from '../../../server/database/database-list.ts';
import { licenseList } from '../../../server/licenses/license-list.ts';
import { deliveryList } from '../../../server/webhooks/delivery-list.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();
const clock = createFakeClock();
const id = '01a20324-6eb6-75d1-b661-0225cf094a9e';
const first = { limit: 50 };
const next = { limit: 50, after: id };
const following = { limit: 50, after: `${id} text` };

type Work = (transaction: Transaction) => Promise<unknown>;

function list<Query, Row extends { id: string }, Item>(
  transaction: Transaction,
  definition: ListDefinition<Query, Row, Item>,
) {
  return new DatabaseList({ database: { read: transaction }, clock }, definition);
}

const accountList = createAccountList({ mail: undefined });

it.each<[string, Work]>([
  ['all accounts', (t) => list(t, accountList).readPage({}, next)],
  ['accounts by email', (t) => list(t, accountList).readPage({ search: 'a' }, following)],
  ['accounts by status', (t) => list(t, accountList).readPage({ status: 'past_due' }, next)],
  ['accounts whose subscription is over', (t) => list(t, accountList).readPage({ status: 'expired' }, next)],
  ['accounts without a subscription', (t) => list(t, accountList).readPage({ status: 'none' }, next)],
  ['accounts by plan', (t) => list(t, accountList).readPage({ plan: 'free', status: 'active' }, next)],
  ['the count of accounts', (t) => list(t, accountList).count({ search: 'a', status: 'active' })],
  ['all licenses', (t) => list(t, licenseList).readPage({}, next)],
  ['licenses by preview', (t) => list(t, licenseList).readPage({ search: 'SVC-' }, following)],
  ['licenses by email', (t) => list(t, licenseList).readPage({ search: 'a@' }, first)],
  ['licenses by status', (t) => list(t, licenseList).readPage({ status: 'revoked' }, next)],
  ['licenses that are over', (t) => list(t, licenseList).readPage({ status: 'expired' }, next)],
  ['licenses that end soon', (t) => list(t, licenseList).readPage({ expires_within_days: 30 }, next)],
  ['licenses by plan', (t) => list(t, licenseList).readPage({ plan: 'free' }, next)],
  ['all devices', (t) => list(t, deviceList).readPage({}, next)],
  ['devices by id', (t) => list(t, deviceList).readPage({ search: 'HW-' }, first)],
  ['devices by name', (t) => list(t, deviceList).readPage({ search: 'a' }, following)],
  ['devices by email', (t) => list(t, deviceList).readPage({ search: 'a@' }, first)],
  ['devices by activity', (t) => list(t, deviceList).readPage({ activity: 'idle' }, next)],
  ['all API keys', (t) => list(t, apiKeyList).readPage({}, next)],
  ['API keys by prefix', (t) => list(t, apiKeyList).readPage({ search: 'svc_live_' }, following)],
  ['revoked API keys', (t) => list(t, apiKeyList).readPage({ state: 'revoked' }, next)],
  ['legacy API keys', (t) => list(t, apiKeyList).readPage({ state: 'legacy' }, next)],
  [
    'the audit log',
    (t) =>
      list(t, auditList).readPage(
        { since: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z', action: 'license' },
        next,
      ),
  ],
  ['billing events', (t) => list(t, billingEventList).readPage({ state: 'dead_letter', search: 'a' }, next)],
  ['deliveries', (t) => list(t, deliveryList).readPage({ endpointId: id, state: 'failed' }, next)],
])('%s', async (_, work) => {
  const steps = (await readQueryPlan(server, work)).split('\n');
  expect(steps.some((step) => step.startsWith('SEARCH') || step.startsWith('SCAN'))).toBe(true);
  for (const [index, step] of steps.entries()) {
    // The few subscriptions of one account are sorted to find the best one.
    const before = steps.slice(Math.max(0, index - 12), index);
    if (before.some((one) => one.startsWith('SEARCH best USING INDEX'))) continue;
    // Rows with the same text are sorted by their ids; there are few, because texts are rarely the same.
    expect(step).not.toMatch(/USE TEMP B-TREE FOR ORDER BY/);
    if (step.startsWith('SCAN') && step !== 'SCAN scanned') expect(step).toMatch(/USING (COVERING )?INDEX/);
  }
});

it.each([{ status: 'expired' } as const, { expires_within_days: 30 }])(
  'licenses by %o are searched only among those that end',
  async (query) => {
    const plan = await readQueryPlan(server, (t) => list(t, licenseList).readPage(query, next));
    expect(plan).toContain('licenses_that_end');
  },
);
