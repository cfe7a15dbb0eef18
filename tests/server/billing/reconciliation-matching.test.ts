/** Which subscription each row of a customer is about. */
import { describe, expect, it } from 'vitest';
import type { CustomerState, KnownSubscription } from '../../../server/billing/customer-states.ts';
import { matchRows } from '../../../server/billing/reconciliation-matching.ts';
import type { ReportedSubscription } from '../../../server/billing/reported-subscription.ts';
import { day } from '../../harness/fake-clock.ts';

const nowMs = Date.parse('2026-05-01T00:00:00Z');

type KnownFields = Partial<KnownSubscription['row']> & Partial<Pick<KnownSubscription, 'lastEventMs'>>;

let ids = 0;

/** A subscription that ends in 30 days and gives access. */
function known({ lastEventMs = null, ...fields }: KnownFields): KnownSubscription {
  return {
    row: {
      id: `id-${++ids}`,
      user_id: 'user',
      source: 'stripe',
      reference: 'sub_1',
      event_at_ms: lastEventMs,
      is_replaced: 0,
      by_typed_email: 0,
      plan: 'standard',
      status: 'active',
      current_period_start_ms: nowMs,
      current_period_end_ms: nowMs + 30 * day,
      cancel_at_period_end: 0,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      noticed_lead_ms: null,
      ...fields,
    },
    atProvider: undefined,
    lastEventMs,
  };
}

/** A row that names no subscription and has nothing in common with those that `known` returns. */
function reported(row: number, fields: Partial<ReportedSubscription> = {}): ReportedSubscription {
  return {
    row,
    provider: 'stripe',
    subscription: '',
    customer: 'cus_1',
    email: '',
    plan: 'advanced',
    status: 'active',
    periodEndMs: nowMs + 300 * day,
    isEndOfDay: false,
    asOfMs: null,
    ...fields,
  };
}

/** Matches the rows, given best first, to the subscriptions of their customer; `others` are those of the account. */
function match(
  rows: readonly ReportedSubscription[],
  ofCustomer: readonly KnownSubscription[],
  others: readonly KnownSubscription[] = [],
): string[] {
  const buyerOf: CustomerState['buyerOf'] = () => ({ userId: 'user', isBound: true });
  const state = { rows, ofCustomer, known: [...others, ...ofCustomer], atProvider: [], buyerOf };
  return matchRows(state, rows, nowMs).map(
    ({ reported: { row }, known: found, reference, certainty, isSuperseded }) =>
      `${row}: ${found ? '' : 'new '}${reference}, ${certainty}${isSuperseded ? ', superseded' : ''}`,
  );
}

describe('a row that names its subscription', () => {
  it('is about that of its own provider, even if another one has the same id', () => {
    const ofOther = known({ source: 'lemonsqueezy', reference: '7' });
    const own = known({ source: 'stripe', reference: '7', user_id: 'own' });
    const state = { rows: [], ofCustomer: [], atProvider: [], buyerOf: () => ({ userId: undefined, isBound: false }) };
    const [found] = matchRows({ ...state, known: [ofOther, own] }, [reported(1, { subscription: '7' })], nowMs);
    expect(found?.known).toBe(own);
  });

  it('is about what an earlier list added without the id, if it has the same plan and end', () => {
    const same = { plan: 'standard', periodEndMs: nowMs + 30 * day };
    const added = known({ reference: 'reconciled:cus_1' });
    expect(match([reported(1, { ...same, subscription: 'sub_9' })], [added])).toEqual(['1: sub_9, named']);
    expect(match([reported(1, { subscription: 'sub_9' })], [added])).toEqual(['1: new sub_9, named']);
    expect(match([reported(1, { ...same, subscription: 'sub_9' })], [known({})])).toEqual(['1: new sub_9, named']);
  });

  it('leaves the other subscription of the customer for other rows', () => {
    const two = [known({ reference: 'sub_1' }), known({ reference: 'sub_2' })];
    expect(match([reported(1, { subscription: 'sub_1' })], two)).toEqual(['1: sub_1, named']);
    expect(match([reported(1), reported(2, { subscription: 'sub_1' })], two)).toEqual([
      '2: sub_1, named',
      '1: sub_2, only',
    ]);
  });

  it('takes precedence over one without a time, unless it is itself older than the last event', () => {
    const rows = [reported(1, { subscription: 'sub_1', asOfMs: nowMs }), reported(2, { subscription: 'sub_1' })];
    expect(match(rows, [known({ lastEventMs: nowMs })])).toEqual(['1: sub_1, named', '2: sub_1, named, superseded']);
    expect(match(rows, [known({ lastEventMs: nowMs + day })])).toEqual(['1: sub_1, named', '2: sub_1, named']);
  });
});

describe('a row that names no subscription', () => {
  it('is surely about the only one, whatever it says', () => {
    expect(match([reported(1)], [known({})])).toEqual(['1: sub_1, only']);
  });

  it('is likely about the one with the same end, and more likely about that with the same plan too', () => {
    const [one, other] = [known({ reference: 'sub_1', plan: 'advanced' }), known({ reference: 'sub_2' })];
    const end = { periodEndMs: nowMs + 30 * day };
    expect(
      match([reported(1, { plan: 'third', ...end })], [one, known({ current_period_end_ms: nowMs + day })]),
    ).toEqual(['1: sub_1, likely']);
    expect(match([reported(1, { plan: 'standard', ...end })], [one, other])).toEqual(['1: sub_2, exact']);
  });

  it('is about one of several that are equally dissimilar: that is ambiguous, for the last row too', () => {
    const two = [known({ reference: 'sub_1' }), known({ reference: 'sub_2' })];
    expect(match([reported(1)], two)).toEqual(['1: sub_1, ambiguous']);
    expect(match([reported(1), reported(2)], two)).toEqual(['1: sub_1, ambiguous', '2: sub_2, ambiguous']);
    const ended = known({ reference: 'sub_3', status: 'canceled' });
    expect(match([reported(1)], [...two, ended])).toEqual(['1: sub_1, ambiguous']);
  });

  it('is about the one that gives access if only one does, else about that with the later end', () => {
    const ended = known({ reference: 'ended', status: 'canceled', current_period_end_ms: nowMs + 90 * day });
    const [earlier, later] = [
      known({ reference: 'earlier' }),
      known({ reference: 'later', current_period_end_ms: nowMs + 60 * day }),
    ];
    expect(match([reported(1)], [ended, earlier])).toEqual(['1: earlier, likely']);
    expect(match([reported(1)], [earlier, ended])).toEqual(['1: earlier, likely']);
    expect(match([reported(1)], [ended, earlier, later])).toEqual(['1: later, ambiguous']);
    expect(match([reported(1)], [later, earlier, ended])).toEqual(['1: later, ambiguous']);
  });

  it('is about a new subscription if none is left, of which the first row counts', () => {
    expect(match([reported(1), reported(2), reported(3)], [known({})])).toEqual([
      '1: sub_1, likely',
      '2: new reconciled:cus_1, likely',
      '3: new reconciled:cus_1, likely, superseded',
    ]);
  });

  it('is not about a subscription that had an event since', () => {
    const newer = known({ lastEventMs: nowMs });
    expect(match([reported(1, { asOfMs: nowMs - day })], [newer])).toEqual(['1: new reconciled:cus_1, likely']);
  });
});
