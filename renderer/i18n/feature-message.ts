/** Why a feature is off. */
import type { FeatureOffReason, LicenseState } from '../../shared/ipc/app-state.ts';
import { isSeededPlan, planName } from './format.ts';
import type { Translate } from './messages.ts';

/** Names the plan that has the feature, or the license state that turns it off. */
export function featureOffMessage(reason: FeatureOffReason, t: Translate): string {
  switch (reason.kind) {
    case 'plan':
      return planMessage(reason, t);
    case 'signed-out':
      return t('features.signedOut');
    case 'waiting-for-lease':
      return t('features.waitingForLease');
    case 'license':
      return licenseReason(reason.license, t);
  }
}

/** The same in fewer words, for a control that needs the feature. */
export function gateMessage(reason: FeatureOffReason, t: Translate): string {
  if (reason.kind !== 'plan') return featureOffMessage(reason, t);
  if (reason.availableOn === null) return t('features.notInYourPlan');
  return t('features.gate', { plan: planName(reason.availableOn, t) });
}

/** A plan that an admin added is neither below nor above the one that has the feature. */
function planMessage({ plan, availableOn }: Extract<FeatureOffReason, { kind: 'plan' }>, t: Translate): string {
  if (availableOn === null) return t('features.notInPlan', { plan: planName(plan, t) });
  const names = { available: planName(availableOn, t), plan: planName(plan, t) };
  return isSeededPlan(plan) ? t('features.includedIn', names) : t('features.notIncluded', names);
}

function licenseReason(license: LicenseState, t: Translate): string {
  switch (license.kind) {
    case 'unknown':
    case 'works':
    case 'offline':
      return t('features.unknown');
    case 'waiting-for-lease':
      return t('features.waitingForLease');
    case 'offline-ended':
      return t('features.offlineEnded');
    case 'not-activated':
      return t('features.notActivated');
    case 'no-license':
      return t('features.noLicense');
    case 'blocked':
      return t(`features.${blockedKeys[license.reason]}`);
  }
}

const blockedKeys = {
  revoked: 'revoked',
  expired: 'expired',
  suspended: 'suspended',
  'subscription-ended': 'subscriptionEnded',
  'not-found': 'notFound',
} as const;
