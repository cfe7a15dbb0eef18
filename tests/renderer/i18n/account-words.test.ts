/** The subscription, the license and its slots in words. */
import { expect, test } from 'vitest';
import { atPeriodEnd, licenseStatus, subscriptionStatus } from '../../../renderer/i18n/account-words.ts';
import { slotsOf } from '../../../renderer/i18n/slots.ts';
import { dayRange, fullDay } from '../../../renderer/i18n/times.ts';
import { sentencesIn } from './sentences-in.ts';

const t = await sentencesIn('en');
const now = Date.parse('2027-02-10T12:00:00Z');
const subscription = {
  plan: 'standard',
  status: 'active',
  current_period_start: '2027-02-03T12:00:00Z',
  current_period_end: '2027-03-03T12:00:00Z',
  cancel_at_period_end: false,
};

test.each([
  ['active', 'Active'],
  ['trialing', 'Trial'],
  ['past_due', 'Past due'],
  ['canceled', 'Canceled'],
  ['expired', 'Expired'],
  ['on_hold', 'On hold'],
  ['toString', 'ToString'],
])('a subscription that is %s reads as %s', (status, words) => {
  expect(subscriptionStatus(status, t)).toBe(words);
});

test.each([
  ['active', 'Active'],
  ['inactive', 'Suspended'],
  ['revoked', 'Revoked'],
  ['expired', 'Expired'],
  ['lent', 'Lent'],
])('a license that is %s reads as %s', (status, words) => {
  expect(licenseStatus(status, t)).toBe(words);
});

test('what goes on renews, and what was canceled or is a trial ends', () => {
  expect(atPeriodEnd(subscription, now)).toBe('renews');
  expect(atPeriodEnd({ ...subscription, status: 'past_due' }, now)).toBe('renews');
  expect(atPeriodEnd({ ...subscription, cancel_at_period_end: true }, now)).toBe('ends');
  expect(atPeriodEnd({ ...subscription, status: 'trialing' }, now)).toBe('ends');
  expect(atPeriodEnd({ ...subscription, status: 'canceled' }, now)).toBe('ends');
  expect(atPeriodEnd(subscription, Date.parse('2027-03-04T00:00:00Z'))).toBe('ended');
});

test('slots that were not told are not zero of zero', () => {
  expect(slotsOf({ activations: 2, maxActivations: 3 })).toEqual({ used: 2, max: 3 });
  expect(slotsOf({ activations: 0, maxActivations: 0 })).toBeNull();
  expect(slotsOf(null)).toBeNull();
});

test('a period is written once where its days share a year', () => {
  expect(fullDay('2027-03-03T12:00:00Z', 'en-GB')).toBe('3 March 2027');
  expect(dayRange('2027-02-03T12:00:00Z', '2027-03-03T12:00:00Z', 'en-GB').replace(/\s/g, ' ')).toBe(
    '3 February – 3 March 2027',
  );
});
