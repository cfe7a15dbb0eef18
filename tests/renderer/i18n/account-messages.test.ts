/** How the account's subscription, license and activations are described. */
import { expect, test } from 'vitest';
import {
  activationCount,
  activationExcess,
  licenseStatus,
  periodEndKind,
  subscriptionStatus,
} from '../../../renderer/i18n/account-messages.ts';
import { windowMessages } from '../../../renderer/i18n/messages.ts';
import { sampleAccount } from '../sample-states.ts';

const { t } = await windowMessages.load('en');
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
])('the subscription status %s is shown as %s', (status, text) => {
  expect(subscriptionStatus(status, t)).toBe(text);
});

test.each([
  ['active', 'Active'],
  ['inactive', 'Suspended'],
  ['revoked', 'Revoked'],
  ['expired', 'Expired'],
  ['lent', 'Lent'],
])('the license status %s is shown as %s', (status, text) => {
  expect(licenseStatus(status, t)).toBe(text);
});

test('a running subscription renews, and a canceled one, a trial or one that is not paid ends', () => {
  expect(periodEndKind(subscription, now)).toBe('renews');
  expect(periodEndKind({ ...subscription, status: 'past_due' }, now)).toBe('ends');
  expect(periodEndKind({ ...subscription, cancel_at_period_end: true }, now)).toBe('ends');
  expect(periodEndKind({ ...subscription, status: 'trialing' }, now)).toBe('ends');
  expect(periodEndKind({ ...subscription, status: 'canceled' }, now)).toBe('ends');
  expect(periodEndKind(subscription, Date.parse('2027-03-04T00:00:00Z'))).toBe('ended');
});

test('an unknown device limit is not shown as 0 of 0', () => {
  expect(activationCount({ activations: 2, maxActivations: 3 })).toEqual({ used: 2, max: 3 });
  expect(activationCount({ activations: 0, maxActivations: 0 })).toBeNull();
  expect(activationCount(null)).toBeNull();
});

test('more devices than a smaller plan is for are counted, not more than the limit of a license that was raised', () => {
  const account = sampleAccount(now);
  const withLicense = (license: object, change: object = {}) =>
    activationExcess({ ...account, license: account.license && { ...account.license, ...license }, ...change }, now);
  const freePlan = {
    subscription: account.subscription && { ...account.subscription, plan: 'free' },
    features: { ...account.features, max_devices: 1 },
  };
  expect(activationExcess(account, now)).toBeNull();
  expect(withLicense({ activations: 2 }, freePlan)).toEqual({ used: 2, max: 1 });
  expect(withLicense({ activations: 1 }, freePlan)).toBeNull();
  expect(withLicense({ activations: 5, maxActivations: 4 })).toEqual({ used: 5, max: 4 });
  expect(withLicense({ activations: 20, maxActivations: 50 })).toBeNull();
  expect(withLicense({ activations: 20, maxActivations: 50 }, { subscription: null })).toBeNull();
  expect(withLicense({ activations: 2, status: 'revoked' }, freePlan)).toBeNull();
  const over = { ...freePlan, subscription: { ...freePlan.subscription, status: 'expired' } };
  expect(withLicense({ activations: 2 }, over)).toBeNull();
  expect(activationExcess({ ...account, license: null }, now)).toBeNull();
});
