/** Why a feature is off. */
import type { FeatureOffReason, LicenseState } from '../../shared/ipc/app-state.ts';
import { planName } from './format.ts';
import type { Translate } from './messages.ts';

/** Names the plan that has the feature, or the license state that turns it off. */
export function featureOffMessage(reason: FeatureOffReason, t: Translate): string {
  switch (reason.kind) {
    case 'plan':
      return t('features.includedIn', { available: planName(reason.availableOn, t), plan: planName(reason.plan, t) });
    case 'signed-out':
      return t('features.signedOut');
    case 'license':
      return licenseReason(reason.license, t);
  }
}

/** The same in fewer words, for a control that needs the feature. */
export function gateMessage(reason: FeatureOffReason, t: Translate): string {
  if (reason.kind !== 'plan') return featureOffMessage(reason, t);
  return t('features.gate', { plan: planName(reason.availableOn, t) });
}

function licenseReason(license: LicenseState, t: Translate): string {
  switch (license.kind) {
    case 'unknown':
    case 'works':
    case 'offline':
      return t('features.unknown');
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
