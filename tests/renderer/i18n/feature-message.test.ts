/** Why a feature is off. */
import { expect, test } from 'vitest';
import { featureOffMessage, gateMessage } from '../../../renderer/i18n/feature-message.ts';
import { windowMessages } from '../../../renderer/i18n/messages.ts';

const { t } = await windowMessages.load('en');

test('names the plan that has the feature', () => {
  expect(gateMessage({ kind: 'plan', plan: 'free', availableOn: 'standard' }, null, t)).toBe(
    'Requires the Standard plan.',
  );
  expect(featureOffMessage({ kind: 'plan', plan: 'standard', availableOn: 'advanced' }, null, t)).toBe(
    'Requires the Advanced plan. You have Standard.',
  );
});

test('does not present the Free plan as a requirement to a user with a custom plan', () => {
  expect(featureOffMessage({ kind: 'plan', plan: 'team', availableOn: 'free' }, null, t)).toBe(
    'Not part of the Team plan. The Free plan includes it.',
  );
});

test('names the license state that turns the feature off', () => {
  expect(gateMessage({ kind: 'license', license: { kind: 'blocked', reason: 'revoked' } }, null, t)).toBe(
    'Your license was revoked.',
  );
  expect(featureOffMessage({ kind: 'signed-out' }, null, t)).toBe('Sign in to use this feature.');
});

test('names the problem of a lease that waiting does not solve', () => {
  const waiting = { kind: 'waiting-for-lease' } as const;
  expect(featureOffMessage(waiting, null, t)).toBe('The server has yet to confirm this device.');
  expect(featureOffMessage(waiting, 'expired', t)).toBe('The server has yet to confirm this device.');
  expect(featureOffMessage(waiting, 'wrong_signature', t)).toBe('The signature of the server’s license is wrong.');
  expect(gateMessage({ kind: 'license', license: waiting }, 'other_device', t)).toBe(
    'The server’s license is for another device.',
  );
});
