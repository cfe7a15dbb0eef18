/** Whether a license is good, in every case. */
import { describe, expect, it } from 'vitest';
import type { LicenseStatus } from '../../../server/database/tables.ts';
import { type ActivationFacts, canActivate, judgeActivation } from '../../../server/licenses/activation-verdict.ts';
import { readDeviceActivity } from '../../../server/licenses/device-activity.ts';
import { evaluateLicense, readLicenseStatus } from '../../../server/licenses/license.rules.ts';
import { day } from '../../harness/fake-clock.ts';

describe('the status of a license', () => {
  it.each<{ set: LicenseStatus; expiresAt: number | null; reads: LicenseStatus }>([
    { set: 'active', expiresAt: null, reads: 'active' },
    { set: 'active', expiresAt: 1001, reads: 'active' },
    { set: 'active', expiresAt: 1000, reads: 'expired' },
    { set: 'inactive', expiresAt: null, reads: 'inactive' },
    { set: 'inactive', expiresAt: 999, reads: 'expired' },
    { set: 'revoked', expiresAt: 999, reads: 'revoked' },
    { set: 'expired', expiresAt: null, reads: 'expired' },
    { set: 'expired', expiresAt: 5000, reads: 'expired' },
  ])('set to $set with expiry $expiresAt reads $reads at 1000', ({ set, expiresAt, reads }) => {
    expect(readLicenseStatus({ status: set, expires_at_ms: expiresAt }, 1000)).toBe(reads);
  });
});

describe('the verdict on a license', () => {
  it.each([
    { status: 'revoked', allows: false, verdict: 'LICENSE_REVOKED' },
    { status: 'expired', allows: false, verdict: 'LICENSE_EXPIRED' },
    { status: 'inactive', allows: false, verdict: 'LICENSE_INACTIVE' },
    { status: 'active', allows: false, verdict: 'SUBSCRIPTION_INACTIVE' },
    { status: 'active', allows: true, verdict: undefined },
  ] as const)('that is $status is $verdict (subscription allows: $allows)', ({ status, allows, verdict }) => {
    expect(evaluateLicense(status, allows)).toBe(verdict);
  });
});

describe('the verdict on a call to activate', () => {
  const facts: ActivationFacts = { refusal: undefined, isActiveOnDevice: false, heldSlots: 2, maxActivations: 3 };
  it.each([
    { when: 'there is a slot', change: {}, verdict: 'takes_slot', can: true },
    { when: 'there is none', change: { heldSlots: 3 }, verdict: 'MAX_ACTIVATIONS_REACHED', can: false },
    {
      when: 'there are more devices than slots',
      change: { heldSlots: 9 },
      verdict: 'MAX_ACTIVATIONS_REACHED',
      can: false,
    },
    {
      when: 'the device has one and all are taken',
      change: { heldSlots: 3, isActiveOnDevice: true },
      verdict: 'already_active',
      can: true,
    },
    { when: 'the license is revoked', change: { refusal: 'LICENSE_REVOKED' }, verdict: 'LICENSE_INACTIVE', can: false },
    {
      when: 'the subscription is over, on a device that has one',
      change: { refusal: 'SUBSCRIPTION_INACTIVE', isActiveOnDevice: true },
      verdict: 'LICENSE_INACTIVE',
      can: false,
    },
  ] as const)('is $verdict when $when', ({ change, verdict, can }) => {
    expect(judgeActivation({ ...facts, ...change })).toBe(verdict);
    expect(canActivate({ ...facts, ...change })).toBe(can);
  });
});

describe('a device', () => {
  it.each([
    { silentMs: 0, reads: 'active' },
    { silentMs: -day, reads: 'active' },
    { silentMs: 7 * day - 1, reads: 'active' },
    { silentMs: 7 * day, reads: 'idle' },
    { silentMs: 30 * day - 1, reads: 'idle' },
    { silentMs: 30 * day, reads: 'stale' },
  ])('that is silent for $silentMs ms reads $reads', ({ silentMs, reads }) => {
    expect(readDeviceActivity(100 * day, 100 * day + silentMs)).toBe(reads);
  });
});
