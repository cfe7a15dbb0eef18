/** How a row of a provider's list is compared with the subscription on the server. */
import { describe, expect, it } from 'vitest';
import type { ProviderSubscription } from '../../../server/billing/payment.repository.ts';
import { compare, hasSamePlanAndEnd, isSameEnd, similarity } from '../../../server/billing/reconciliation.rules.ts';
import type { ReportedSubscription } from '../../../server/billing/reported-subscription.ts';
import type { SubscriptionRow } from '../../../server/subscriptions/subscription.service.ts';

const [second, day] = [1000, 86_400_000];
const nowMs = Date.parse('2026-11-26T12:00:00Z');
const endMs = nowMs + 10 * day;

const reported = (change: Partial<ReportedSubscription> = {}): ReportedSubscription => ({
  row: 1,
  provider: 'stripe',
  subscription: 'sub_1',
  customer: 'cus_1',
  email: '',
  plan: 'standard',
  status: 'active',
  periodEndMs: endMs,
  isEndOfDay: false,
  asOfMs: null,
  ...change,
});

const known = (change: Partial<SubscriptionRow> = {}): SubscriptionRow => ({
  id: 'one',
  user_id: 'ada',
  source: 'stripe',
  reference: 'sub_1',
  plan: 'standard',
  status: 'active',
  current_period_start_ms: nowMs - day,
  current_period_end_ms: endMs,
  cancel_at_period_end: 0,
  event_at_ms: null,
  is_replaced: 0,
  by_typed_email: 0,
  created_at_ms: 0,
  updated_at_ms: 0,
  noticed_lead_ms: null,
  ...change,
});

const atProvider = (change: Partial<ProviderSubscription> = {}): ProviderSubscription => ({
  provider: 'stripe',
  reference: 'sub_1',
  status: 'active',
  customer_id: 'cus_1',
  order_id: null,
  period_start_ms: null,
  last_event_at_ms: null,
  paid_at_ms: null,
  refunded_at_ms: null,
  license_id: null,
  is_license_suspended: 0,
  ...change,
});

const judge = (
  row: SubscriptionRow | undefined,
  change: Partial<ReportedSubscription> = {},
  more: { readonly atProvider?: ProviderSubscription; readonly hasAccess?: boolean } = {},
) => compare(reported(change), { row, atProvider: more.atProvider, hasAccess: more.hasAccess ?? false }, nowMs);

describe('a subscription that is paid', () => {
  it.each([
    ['as the server has it', known(), {}, 'agree'],
    ['for another plan', known({ plan: 'advanced' }), {}, 'differs'],
    ['in another status', known({ status: 'trialing' }), {}, 'differs'],
    ['until another second', known({ current_period_end_ms: endMs + second }), {}, 'differs'],
    ['until the same second', known({ current_period_end_ms: endMs + second - 1 }), {}, 'agree'],
    ['that has ended here', known({ current_period_end_ms: nowMs }), {}, 'pays_without_access'],
    ['that is canceled here', known({ status: 'canceled' }), {}, 'pays_without_access'],
    ['that is unknown here', undefined, {}, 'pays_without_access'],
  ] as const)('%s', (_, row, change, expected) => {
    expect(judge(row, change)).toBe(expected);
  });

  it('differs if another subscription gives access in the meantime', () => {
    expect(judge(undefined, {}, { hasAccess: true })).toBe('differs');
  });
});

describe('a subscription that is not paid', () => {
  it.each([
    ['canceled', { status: 'canceled' }],
    ['over', { periodEndMs: nowMs }],
    ['of an end that the list does not tell', { periodEndMs: null }],
  ] as const)('%s, is reported if it gives access here', (_, change) => {
    expect(judge(known(), change)).toBe('access_without_payment');
    expect(judge(known({ status: 'canceled' }), change)).toBe('agree');
    expect(judge(undefined, change, { hasAccess: true })).toBe('agree');
  });

  it('still counts as paid in its last millisecond', () => {
    expect(judge(known({ current_period_end_ms: nowMs + 1 }), { periodEndMs: nowMs + 1 })).toBe('agree');
  });
});

describe('a refunded payment, which the list does not show', () => {
  const refunded = atProvider({ refunded_at_ms: nowMs });
  const canceled = known({ status: 'canceled' });

  it.each([
    ['for the same period', canceled, endMs, 'agree'],
    ['for a period that ends a second later', canceled, endMs + second, 'pays_without_access'],
    ['for one that ends in the same second', canceled, endMs + second - 1, 'agree'],
    ['for an earlier one', canceled, endMs - day, 'agree'],
    ['of a subscription that is unknown here', undefined, endMs, 'agree'],
  ] as const)('%s', (_, row, periodEndMs, expected) => {
    expect(judge(row, { periodEndMs }, { atProvider: refunded })).toBe(expected);
  });

  it('is ignored if the subscription was paid again', () => {
    const again = atProvider({ refunded_at_ms: nowMs, paid_at_ms: nowMs + 1 });
    expect(judge(canceled, {}, { atProvider: again })).toBe('pays_without_access');
  });
});

describe('the end of a period', () => {
  const midnight = Date.parse('2026-12-06T00:00:00Z');
  it.each([
    ['in the same second', endMs, false, endMs + 999, true],
    ['in the next one', endMs, false, endMs + second, false],
    ['on the same day, of a list that tells days', midnight, true, midnight + day - 1, true],
    ['on the next day', midnight, true, midnight + day, false],
    ['on the day before', midnight, true, midnight - 1, false],
    ['of a list that does not tell it', null, false, 0, false],
  ])('%s', (_, periodEndMs, isEndOfDay, current_period_end_ms, expected) => {
    expect(isSameEnd(reported({ periodEndMs, isEndOfDay }), { current_period_end_ms })).toBe(expected);
  });
});

it.each([
  ['plan, end and status', known(), 4],
  ['plan and end', known({ status: 'past_due' }), 3],
  ['its end', known({ plan: 'advanced' }), 2],
  ['its plan', known({ current_period_end_ms: endMs + day }), 1],
  ['its status only', known({ plan: 'advanced', current_period_end_ms: endMs + day }), 0],
])('the similarity of a subscription that shares %s with a row', (_, row, expected) => {
  expect(similarity(reported(), row)).toBe(expected);
  expect(hasSamePlanAndEnd(reported(), row)).toBe(expected >= 3);
});
