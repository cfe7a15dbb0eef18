/** What the stored responses and local changes entitle this device to: its license state and features. Pure. */
import type { Features } from '../../shared/api/features.ts';
import type { License, SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import { isOn, namesOf } from '../../shared/formats/feature-fields.ts';
import { previewLicenseKey } from '../../shared/formats/license-key.ts';
import type { BlockedReason, FeatureState, LicenseState, Reachability } from '../../shared/ipc/app-state.ts';
import { planLacks } from '../../shared/ipc/from-api.ts';
import type { LeaseClaims } from '../../shared/lease.ts';
import { noFeatures } from '../../shared/seeded-features.ts';
import { toTimestamp } from './failure.ts';
import type { LicenseFacts } from './license-store.ts';
import { clockToleranceMs } from './trusted-time.ts';

/** How long the last conclusive valid response counts without another one. */
export const graceMs = 7 * 24 * 3_600_000;

export type EntitlementFacts = Pick<LicenseFacts, 'licenseKey' | 'localChange' | 'validation' | 'status'>;

type EntitlementInput = {
  /** Trusted time; infinite if unknown, so that nothing counts as recently checked. */
  readonly nowMs: number;
  readonly reachability: Reachability;
  readonly lease: LeaseInput;
};

export type LeaseInput = {
  /** Claims of the verified lease in use, expired or not; `null` if a conclusive refusal has ended it. */
  readonly claims: LeaseClaims | null;
  /** Lower bound of the time that decides whether the lease has expired. */
  readonly floorMs: number;
  /** True if nothing is on without a lease. */
  readonly isNeeded: boolean;
};

/**
 * In order of precedence: a good lease; a conclusive refusal; where a lease is needed, nothing; otherwise the last
 * conclusive approval, for the grace period.
 */
export function decideLicenseState(facts: EntitlementFacts, input: EntitlementInput): LicenseState {
  const { licenseKey, validation } = facts;
  const { claims, floorMs, isNeeded } = input.lease;
  if (claims !== null && isLeaseGood(claims, Math.max(input.nowMs, floorMs)))
    return decideLeased(claims, facts.status?.response, input);
  if (licenseKey === null) return claims ? leaseEnded(claims, input) : decideWithoutKey(facts.status?.response);
  const validated = validation?.response;
  if (validated?.valid === false) return { kind: 'blocked', reason: blockedReason(validated.code) };
  // Directly after an activation there may be no validation yet; then the status names the plan.
  const plan = validated?.plan ?? licenseInStatus(facts)?.plan;
  const checkedAt = checkedAtMs(facts);
  if (plan === undefined || checkedAt === null) return claims ? leaseEnded(claims, input) : { kind: 'unknown' };
  if (!isActivated(facts)) return { kind: 'not-activated' };
  if (isNeeded) return claims ? leaseEnded(claims, input) : { kind: 'waiting-for-lease' };
  return decideActivated(facts.status?.response, plan, checkedAt, input);
}

/** True if a verified lease has not expired at this trusted time. */
export function isLeaseGood({ exp }: LeaseClaims, nowMs: number): boolean {
  return nowMs < exp * 1000;
}

function decideLeased(
  { plan, exp, iat }: LeaseClaims,
  status: SubscriptionStatusResponse | undefined,
  { reachability, nowMs }: EntitlementInput,
): LicenseState {
  const worksUntil = toTimestamp(exp * 1000);
  if (reachability.kind === 'offline') return { kind: 'offline', plan, since: reachability.since, worksUntil };
  const isNewer = status?.subscription?.plan === plan;
  return { kind: 'works', plan, until: isNewer ? periodEnd(status, Math.max(nowMs, iat * 1000)) : null, worksUntil };
}

/** While the server can be reached, another lease can come at any time, so the license only waits for it. */
function leaseEnded({ exp }: LeaseClaims, { reachability }: EntitlementInput): LicenseState {
  if (reachability.kind === 'online') return { kind: 'waiting-for-lease' };
  return {
    kind: 'offline-ended',
    since: reachability.kind === 'offline' ? reachability.since : toTimestamp(exp * 1000),
  };
}

/**
 * True if the last conclusive response is dated in the future: the wall clock that dated it was ahead, or has been set
 * back.
 */
export function isCheckedInFuture(facts: EntitlementFacts, nowMs: number): boolean {
  return (checkedAtMs(facts) ?? nowMs) - nowMs > clockToleranceMs;
}

/** Start of the grace period. */
function checkedAtMs({ localChange, validation }: EntitlementFacts): number | null {
  const at = localChange?.at ?? validation?.at;
  return at === undefined ? null : Date.parse(at);
}

/** True if this device is activated with the stored key; a local change counts until the next validation. */
export function isActivated({ licenseKey, localChange, validation }: EntitlementFacts): boolean {
  if (licenseKey === null) return false;
  if (localChange) return localChange.kind === 'activated';
  return validation?.response.valid === true && validation.response.already_activated_on_device;
}

/**
 * True if the server no longer has the activation that it gave this device. A release on this device itself forgets the
 * activation.
 */
export function isReleasedElsewhere(facts: EntitlementFacts & Pick<LicenseFacts, 'activationId'>): boolean {
  return facts.activationId !== null && facts.validation?.response.valid === true && !isActivated(facts);
}

/** Returns the license in the status if it is the one with the stored key. */
export function licenseInStatus({ licenseKey, status }: EntitlementFacts): License | null {
  const license = status?.response.license ?? null;
  return licenseKey !== null && license?.key_preview === maskLicenseKey(licenseKey) ? license : null;
}

/**
 * True if the status is about the active license of the stored key, so that its features count. A status that
 * contradicts the validation is outdated.
 */
export function isStatusCurrent(facts: EntitlementFacts): boolean {
  if (licenseInStatus(facts)?.status !== 'active') return false;
  const features: Readonly<Record<string, unknown>> = facts.status?.response.features ?? {};
  const validated = facts.validation?.response.valid ? facts.validation.response.features : {};
  return Object.entries(validated).every(([name, value]) => features[name] === value);
}

/** True if the status is about an active license of the account with another key. */
export function isAnotherLicenseInStatus(facts: EntitlementFacts): boolean {
  return facts.status?.response.license?.status === 'active' && licenseInStatus(facts) === null;
}

function decideWithoutKey(status: SubscriptionStatusResponse | undefined): LicenseState {
  if (!status) return { kind: 'unknown' };
  switch (status.license?.status) {
    case undefined:
      return { kind: 'no-license' };
    case 'revoked':
      return { kind: 'blocked', reason: 'revoked' };
    case 'expired':
      return { kind: 'blocked', reason: 'expired' };
    case 'inactive':
      return { kind: 'blocked', reason: 'suspended' };
    default:
      return { kind: 'not-activated' };
  }
}

function decideActivated(
  status: SubscriptionStatusResponse | undefined,
  plan: string,
  checkedAtMs: number,
  { reachability, nowMs }: EntitlementInput,
): LicenseState {
  const worksUntilMs = graceEndMs(status, checkedAtMs);
  const since = reachability.kind === 'offline' ? reachability.since : toTimestamp(Math.min(checkedAtMs, nowMs));
  if (nowMs >= worksUntilMs || checkedAtMs - nowMs > clockToleranceMs) return { kind: 'offline-ended', since };
  if (reachability.kind === 'offline') {
    return { kind: 'offline', plan, since, worksUntil: toTimestamp(worksUntilMs) };
  }
  return { kind: 'works', plan, until: periodEnd(status, nowMs), worksUntil: toTimestamp(worksUntilMs) };
}

/** A subscription that ends with its period also ends the grace period, unless the period was already over. */
function graceEndMs(status: SubscriptionStatusResponse | undefined, checkedAtMs: number): number {
  const endMs = checkedAtMs + graceMs;
  if (!status?.has_subscription || !status.subscription.cancel_at_period_end) return endMs;
  const periodEndMs = Date.parse(status.subscription.current_period_end);
  return periodEndMs > checkedAtMs ? Math.min(endMs, periodEndMs) : endMs;
}

function periodEnd(status: SubscriptionStatusResponse | undefined, nowMs: number): string | null {
  if (!status?.has_subscription) return null;
  const { current_period_end: end } = status.subscription;
  return Date.parse(end) > nowMs ? end : null;
}

/** Every `valid: false` is conclusive; an unknown code counts as suspended. */
function blockedReason(code: string): BlockedReason {
  switch (code) {
    case 'LICENSE_REVOKED':
      return 'revoked';
    case 'LICENSE_EXPIRED':
      return 'expired';
    case 'SUBSCRIPTION_INACTIVE':
      return 'subscription-ended';
    case 'LICENSE_NOT_FOUND':
      return 'not-found';
    default:
      return 'suspended';
  }
}

type FeaturesInput = {
  readonly names: readonly string[];
  /** Claims of the good lease, which then decides alone. */
  readonly lease: LeaseClaims | null;
  /** True if lease keys are pinned: then nothing is on without a lease. */
  readonly arePinned: boolean;
};

/** Returns the features of these names, in order, followed by any others that the server has granted or withheld. */
export function decideFeatures(
  facts: EntitlementFacts,
  license: LicenseState,
  { names, lease, arePinned }: FeaturesInput,
): FeatureState[] {
  const { licenseKey, validation, status } = facts;
  const ofLicense = licenseKey !== null && validation?.response.valid ? validation.response.features : {};
  const granted: Features = lease?.features ?? { ...noFeatures, ...status?.response.features, ...ofLicense };
  const subscriptionPlan = status?.response.subscription?.plan ?? null;
  return [...new Set([...names, ...namesGranted(facts), ...namesOf(lease?.features ?? {})])].map((feature) =>
    decideFeature(feature, isOn(granted, feature), license, { subscriptionPlan, arePinned }),
  );
}

/** Returns the names of the features that the server has granted or withheld. */
export function namesGranted({ validation, status }: EntitlementFacts): string[] {
  const ofLicense = validation?.response.valid ? validation.response.features : {};
  return namesOf({ ...status?.response.features, ...ofLicense });
}

/** Returns every feature as off because nobody is signed in. */
export function featuresSignedOut(names: readonly string[]): FeatureState[] {
  return names.map((feature) => ({ feature, on: false, reason: { kind: 'signed-out' } }));
}

/**
 * Without a license the free plan applies, unless every feature requires a lease; the features of a subscription
 * require a license activated on this device.
 */
function decideFeature(
  feature: string,
  granted: boolean,
  license: LicenseState,
  { subscriptionPlan, arePinned }: { readonly subscriptionPlan: string | null; readonly arePinned: boolean },
): FeatureState {
  switch (license.kind) {
    case 'works':
    case 'offline':
      return granted ? { feature, on: true } : { feature, on: false, reason: planLacks(feature, license.plan) };
    case 'no-license':
      if (!granted) return { feature, on: false, reason: planLacks(feature, subscriptionPlan ?? 'free') };
      if (subscriptionPlan === null && !arePinned) return { feature, on: true };
      return { feature, on: false, reason: { kind: 'license', license } };
    case 'waiting-for-lease':
      return { feature, on: false, reason: { kind: 'waiting-for-lease' } };
    case 'unknown':
    case 'not-activated':
    case 'blocked':
    case 'offline-ended':
      return { feature, on: false, reason: { kind: 'license', license } };
  }
}

const minPreviewableLength = 20;

/** Returns the preview of a license key. Keys of other servers may be so short that it would show them in full. */
export function maskLicenseKey(licenseKey: string): string {
  return licenseKey.length >= minPreviewableLength ? previewLicenseKey(licenseKey) : `...${licenseKey.slice(-2)}`;
}
