/** Explains each feature: what was checked, who said it, the result, and until when. Pure. */
import { isOn } from '../../shared/formats/feature-fields.ts';
import type { ClockState, FeatureState, LicenseState, Reachability } from '../../shared/ipc/app-state.ts';
import type { DecisionStep, FeatureDecision } from '../../shared/ipc/decision.ts';
import type { LeaseClaims } from '../../shared/lease.ts';
import { type EntitlementFacts, isActivated } from './entitlement.ts';
import { toTimestamp } from './failure.ts';

export type WhyInput = {
  readonly facts: EntitlementFacts;
  readonly isSignedIn: boolean;
  readonly license: LicenseState;
  readonly lease: LeaseClaims | null;
  /** The lease while it is good. */
  readonly goodLease: LeaseClaims | null;
  /** True if nothing is on without a lease. */
  readonly isLeaseNeeded: boolean;
  readonly reachability: Reachability;
  /** When the server last answered, as far as is known. */
  readonly lastAnswerAt: string | null;
  readonly clock: ClockState;
  /** Trusted time. */
  readonly nowMs: number;
};

/** Returns the steps in the order in which they are checked, and which of them decided. */
export function explainFeatures(features: readonly FeatureState[], input: WhyInput): FeatureDecision[] {
  const before = [sessionStep(input), deviceStep(input), licenseStep(input), leaseStep(input), subscriptionStep(input)];
  const planStep = planSteps(input);
  const after = [clockStep(input), serverStep(input)];
  return features.map((state) => {
    const { feature, on } = state;
    const reason = on ? null : state.reason.kind;
    const chain = [...before, planStep(feature), ...after];
    return { feature, on, reason, decided_by: decidedBy(state, input), chain };
  });
}

function decidedBy(feature: FeatureState, { goodLease, license }: WhyInput): DecisionStep['check'] {
  if (feature.on) return goodLease === null ? 'plan' : 'lease';
  switch (feature.reason.kind) {
    case 'plan':
      return 'plan';
    case 'signed-out':
      return 'session';
    case 'waiting-for-lease':
      return 'lease';
    case 'license':
      return blockedBy(license);
  }
}

function blockedBy(license: LicenseState): DecisionStep['check'] {
  switch (license.kind) {
    case 'not-activated':
      return 'device';
    case 'waiting-for-lease':
      return 'lease';
    case 'offline-ended':
      return 'server';
    case 'blocked':
      return license.reason === 'subscription-ended' ? 'subscription' : 'license';
    case 'unknown':
    case 'no-license':
    case 'works':
    case 'offline':
      return 'license';
  }
}

type Step = Omit<DecisionStep, 'check' | 'at' | 'until'> & Partial<Pick<DecisionStep, 'at' | 'until'>>;

function step(check: DecisionStep['check'], { source, result, at = null, until = null }: Step): DecisionStep {
  return { check, source, result, at, until };
}

/** A statement of the server is attributed to it while it can be reached, and to the store otherwise. */
function saidBy({ reachability }: WhyInput): 'server' | 'stored' {
  return reachability.kind === 'online' ? 'server' : 'stored';
}

function sessionStep(input: WhyInput): DecisionStep {
  if (input.isSignedIn) return step('session', { source: 'app', result: 'pass' });
  return step('session', { source: 'app', result: input.goodLease === null ? 'fail' : 'unknown' });
}

function deviceStep(input: WhyInput): DecisionStep {
  const { facts, goodLease: lease } = input;
  if (lease !== null) return step('device', { source: 'lease', result: 'pass', ...timesOf(lease) });
  const { localChange, validation, licenseKey } = facts;
  if (localChange !== null) {
    return step('device', { source: 'stored', result: isActivated(facts) ? 'pass' : 'fail', at: localChange.at });
  }
  if (licenseKey === null || validation === null) return step('device', { source: 'app', result: 'unknown' });
  return step('device', { source: saidBy(input), result: isActivated(facts) ? 'pass' : 'fail', at: validation.at });
}

function licenseStep(input: WhyInput): DecisionStep {
  const { validation, status, licenseKey } = input.facts;
  const { goodLease: lease } = input;
  if (licenseKey !== null && validation !== null) {
    return step('license', {
      source: saidBy(input),
      result: validation.response.valid ? 'pass' : 'fail',
      at: validation.at,
    });
  }
  if (lease !== null) return step('license', { source: 'lease', result: 'pass', ...timesOf(lease) });
  if (status === null) return step('license', { source: 'app', result: 'unknown' });
  const result = status.response.license?.status === 'active' ? 'pass' : 'fail';
  return step('license', { source: saidBy(input), result, at: status.at });
}

function leaseStep({ lease, goodLease, isLeaseNeeded }: WhyInput): DecisionStep {
  if (lease === null) return step('lease', { source: 'app', result: isLeaseNeeded ? 'fail' : 'unknown' });
  return step('lease', { source: 'lease', result: goodLease === null ? 'fail' : 'pass', ...timesOf(lease) });
}

function subscriptionStep(input: WhyInput): DecisionStep {
  const { status } = input.facts;
  const subscription = status?.response.subscription ?? null;
  if (status === null || subscription === null) return step('subscription', { source: 'app', result: 'unknown' });
  const until = subscription.current_period_end;
  const givesAccess =
    ['trialing', 'active', 'past_due'].includes(subscription.status) && Date.parse(until) > input.nowMs;
  return step('subscription', {
    source: saidBy(input),
    result: givesAccess ? 'pass' : 'fail',
    at: status.at,
    until,
  });
}

/** Returns the plan step of a feature; what was said is collected once for all of them. */
function planSteps(input: WhyInput): (feature: string) => DecisionStep {
  const { validation, status, licenseKey } = input.facts;
  const { goodLease: lease } = input;
  if (lease !== null) {
    const times = timesOf(lease);
    return (feature) => step('plan', { source: 'lease', result: resultOf(lease.features, feature), ...times });
  }
  const validated = licenseKey !== null && validation?.response.valid ? validation.response.features : {};
  const features = { ...status?.response.features, ...validated };
  return (feature) => {
    if (!(feature in features)) return step('plan', { source: 'app', result: 'unknown' });
    const at = (feature in validated ? validation?.at : status?.at) ?? null;
    return step('plan', { source: saidBy(input), result: resultOf(features, feature), at });
  };
}

function resultOf(features: Readonly<Record<string, unknown>>, feature: string): 'pass' | 'fail' {
  return isOn(features, feature) ? 'pass' : 'fail';
}

function clockStep({ clock }: WhyInput): DecisionStep {
  const result = clock === 'contradictory' ? 'fail' : clock === 'in-sync' ? 'pass' : 'unknown';
  return step('clock', { source: 'app', result });
}

function serverStep({ reachability, lastAnswerAt, license }: WhyInput): DecisionStep {
  const until = license.kind === 'works' || license.kind === 'offline' ? license.worksUntil : null;
  switch (reachability.kind) {
    case 'online':
      return step('server', { source: 'server', result: 'pass', at: lastAnswerAt, until });
    case 'offline':
      return step('server', { source: 'app', result: 'fail', at: lastAnswerAt, until });
    case 'unknown':
      return step('server', { source: 'app', result: 'unknown', at: lastAnswerAt, until });
  }
}

function timesOf({ iat, exp }: LeaseClaims) {
  return { at: toTimestamp(iat * 1000), until: toTimestamp(exp * 1000) };
}
