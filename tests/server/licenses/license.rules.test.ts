/** Whether a license is usable in every case, who owns it, and which of several is shown. */
import { describe, expect, it } from 'vitest';
import type { LicenseStatus } from '../../../server/database/tables.ts';
import {
  belongsToOtherUser,
  chooseMainLicense,
  evaluateLicenseOf,
  readAnnouncedStatus,
  readLicenseStatus,
  toLicense,
} from '../../../server/licenses/license.rules.ts';
import { licenseFor, subscriptionTo } from '../account-snapshots/snapshots.ts';

const nowMs = 1000;

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
  ])('set to $set with expiry $expiresAt is $reads at 1000', ({ set, expiresAt, reads }) => {
    expect(readLicenseStatus({ status: set, expires_at_ms: expiresAt }, nowMs)).toBe(reads);
  });

  it.each<{ set: LicenseStatus; expiresAt: number; noticed: number | null; announced: LicenseStatus }>([
    { set: 'active', expiresAt: 1000, noticed: null, announced: 'active' },
    { set: 'active', expiresAt: 1000, noticed: 5000, announced: 'active' },
    { set: 'active', expiresAt: 1000, noticed: 0, announced: 'expired' },
    { set: 'inactive', expiresAt: 1000, noticed: null, announced: 'inactive' },
    { set: 'inactive', expiresAt: 1001, noticed: 0, announced: 'inactive' },
    { set: 'revoked', expiresAt: 1000, noticed: null, announced: 'revoked' },
    { set: 'expired', expiresAt: 5000, noticed: null, announced: 'expired' },
  ])(
    'set to $set with expiry $expiresAt, with a notice lead of $noticed, was last announced as $announced at 1000',
    ({ set, expiresAt, noticed, announced }) => {
      const license = { status: set, expires_at_ms: expiresAt, noticed_lead_ms: noticed };
      expect(readAnnouncedStatus(license, nowMs)).toBe(announced);
    },
  );
});

describe('a license', () => {
  it.each([
    { status: 'revoked', allows: false, problem: 'LICENSE_REVOKED' },
    { status: 'expired', allows: false, problem: 'LICENSE_EXPIRED' },
    { status: 'inactive', allows: false, problem: 'LICENSE_INACTIVE' },
    { status: 'revoked', allows: true, problem: 'LICENSE_REVOKED' },
    { status: 'expired', allows: true, problem: 'LICENSE_EXPIRED' },
    { status: 'inactive', allows: true, problem: 'LICENSE_INACTIVE' },
    { status: 'active', allows: false, problem: 'SUBSCRIPTION_INACTIVE' },
    { status: 'active', allows: true, problem: undefined },
  ] as const)('that is $status has the problem $problem (access: $allows)', ({ status, allows, problem }) => {
    const license = licenseFor('small', { status, with_subscription: 1 });
    const subscriptions = allows ? [subscriptionTo('small')] : [];
    expect(evaluateLicenseOf({ subscriptions }, license, nowMs)).toStrictEqual({ status, problem });
  });

  it.each([
    { owner: null, other: false },
    { owner: 'ada', other: false },
    { owner: 'grace', other: true },
  ])('of $owner belongs to a user other than ada: $other', ({ owner, other }) => {
    expect(belongsToOtherUser({ user_id: owner }, 'ada')).toBe(other);
  });

  it('is described by its plan and its usage, not by its key', () => {
    expect(toLicense(licenseFor('small'), 'inactive', 7)).toStrictEqual({
      key_preview: 'preview of small',
      plan: 'small',
      status: 'inactive',
      activations: 7,
      max_activations: 2,
    });
  });
});

describe('a license and the subscriptions of its owner', () => {
  const current = subscriptionTo('small', { current_period_end_ms: 1001 });
  const over = subscriptionTo('large', { current_period_end_ms: 1000 });

  it.each([
    { when: 'that depends on none', alone: true, subscriptions: [], problem: undefined },
    { when: 'that depends on none, beside one that is over', alone: true, subscriptions: [over], problem: undefined },
    { when: 'that depends on one that is missing', alone: false, subscriptions: [], problem: 'SUBSCRIPTION_INACTIVE' },
    { when: 'that depends on one that is over', alone: false, subscriptions: [over], problem: 'SUBSCRIPTION_INACTIVE' },
    { when: 'that depends on one of two', alone: false, subscriptions: [over, current], problem: undefined },
  ])('$when has the problem $problem', ({ alone, subscriptions, problem }) => {
    const license = licenseFor('small', { with_subscription: alone ? 0 : 1 });
    expect(evaluateLicenseOf({ subscriptions }, license, nowMs)).toStrictEqual({ status: 'active', problem });
  });

  it('is reported as past its own end, whatever the subscription', () => {
    const license = licenseFor('small', { with_subscription: 1, expires_at_ms: 1000 });
    expect(evaluateLicenseOf({ subscriptions: [current] }, license, nowMs)).toStrictEqual({
      status: 'expired',
      problem: 'LICENSE_EXPIRED',
    });
  });
});

describe('the license that is shown of several, newest first', () => {
  const active = (id: string) => licenseFor('small', { id });
  const revoked = (id: string) => licenseFor('small', { id, status: 'revoked' });
  const expired = (id: string) => licenseFor('small', { id, expires_at_ms: 1000 });

  it.each([
    { what: 'the newest active one', licenses: [expired('3'), active('2'), active('1')], shown: '2' },
    { what: 'the newest where none is active', licenses: [expired('3'), revoked('2')], shown: '3' },
    { what: 'none where there is none', licenses: [], shown: undefined },
  ])('is $what', ({ licenses, shown }) => {
    expect(chooseMainLicense(licenses, nowMs)?.id).toBe(shown);
  });
});
