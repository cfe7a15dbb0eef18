/** Why a feature is off. */
import type { BlockedReason, FeatureOffReason, LeaseInfo, LicenseState } from '../../shared/ipc/app-state.ts';
import { lastingProblem } from '../../shared/ipc/lasting-problem.ts';
import { isSeededPlan, planName } from './format.ts';
import type { Translate } from './messages.ts';

/**
 * Names the plan that has the feature, or what else turns it off; `leaseProblem` is the problem of this device's lease.
 */
export function featureOffMessage(reason: FeatureOffReason, leaseProblem: LeaseInfo['problem'], t: Translate): string {
  switch (reason.kind) {
    case 'plan':
      return planMessage(reason, t);
    case 'signed-out':
      return t('features.signedOut');
    case 'waiting-for-lease':
      return waitingReason(leaseProblem, t);
    case 'license':
      return licenseReason(reason.license, leaseProblem, t);
  }
}

/** Returns a shorter message, for a control that needs the feature. */
export function gateMessage(reason: FeatureOffReason, leaseProblem: LeaseInfo['problem'], t: Translate): string {
  if (reason.kind !== 'plan') return featureOffMessage(reason, leaseProblem, t);
  if (reason.availableOn === null) return t('features.notInYourPlan');
  return t('features.gate', { plan: planName(reason.availableOn, t) });
}

/** Names the smallest plan with the feature. A plan that an admin added is neither below nor above it. */
function planMessage({ plan, availableOn }: Extract<FeatureOffReason, { kind: 'plan' }>, t: Translate): string {
  if (availableOn === null) return t('features.notInPlan', { plan: planName(plan, t) });
  const names = { available: planName(availableOn, t), plan: planName(plan, t) };
  return isSeededPlan(plan) ? t('features.includedIn', names) : t('features.notIncluded', names);
}

/** Explains the missing lease; waiting does not help if it was refused. */
function waitingReason(leaseProblem: LeaseInfo['problem'], t: Translate): string {
  const problem = lastingProblem(leaseProblem);
  return problem === null ? t('features.waitingForLease') : t(`license.leaseProblem.${problem}.what`);
}

function licenseReason(license: LicenseState, leaseProblem: LeaseInfo['problem'], t: Translate): string {
  switch (license.kind) {
    case 'unknown':
    case 'works':
    case 'offline':
      return t('features.unknown');
    case 'waiting-for-lease':
      return waitingReason(leaseProblem, t);
    case 'offline-ended':
      return t('features.offlineEnded');
    case 'not-activated':
      return t('features.notActivated');
    case 'no-license':
      return t('features.noLicense');
    case 'blocked':
      return blockedMessage(license.reason, t);
  }
}

/** Returns why a blocked license grants nothing. */
export function blockedMessage(reason: BlockedReason, t: Translate): string {
  return t(`features.${blockedKeys[reason]}`);
}

/** True if this version knows the reason. */
export function isBlockedReason(reason: string): reason is BlockedReason {
  return Object.hasOwn(blockedKeys, reason);
}

const blockedKeys = {
  revoked: 'revoked',
  expired: 'expired',
  suspended: 'suspended',
  'subscription-ended': 'subscriptionEnded',
  'not-found': 'notFound',
} as const;
