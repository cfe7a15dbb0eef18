/** Which features are on, and why each other one is off. Pure: follows from the license state and the saved answers. */
import {
  type FeatureFlag,
  type Features,
  featureFlags,
  noFeatures,
  smallestPlanWith,
} from '../../shared/api/features.ts';
import type { FeatureOffReason, FeatureState, LicenseState } from '../../shared/ipc/app-state.ts';
import type { Evidence } from './entitlement.ts';

/** Every flag in the order in which people see them. */
export function judgeFeatures(evidence: Evidence, license: LicenseState): FeatureState[] {
  const granted = { ...noFeatures, ...evidence.status?.answer.features, ...featuresOfKey(evidence) };
  return featureFlags.map((feature) => judgeFeature(feature, granted[feature], license, evidence));
}

/** Every flag off because nobody is signed in. */
export function featuresSignedOut(): FeatureState[] {
  return featureFlags.map((feature) => ({ feature, on: false, reason: { kind: 'signed-out' } }));
}

function judgeFeature(feature: FeatureFlag, granted: boolean, license: LicenseState, evidence: Evidence): FeatureState {
  switch (license.kind) {
    case 'works':
    case 'offline':
      return granted ? { feature, on: true } : { feature, on: false, reason: planLacks(feature, license.plan) };
    case 'no-license':
      return withoutLicense(feature, granted, license, evidence);
    case 'unknown':
    case 'not-activated':
    case 'blocked':
    case 'offline-ended':
      return { feature, on: false, reason: { kind: 'license', license } };
  }
}

/** Without a license the free plan counts; a subscription's features want a license activated on this device. */
function withoutLicense(
  feature: FeatureFlag,
  granted: boolean,
  license: LicenseState,
  evidence: Evidence,
): FeatureState {
  const subscription = evidence.status?.answer.subscription ?? null;
  if (!granted) return { feature, on: false, reason: planLacks(feature, subscription?.plan ?? 'free') };
  return subscription ? { feature, on: false, reason: { kind: 'license', license } } : { feature, on: true };
}

function featuresOfKey({ licenseKey, validation }: Evidence): Partial<Features> {
  return licenseKey !== null && validation?.answer.valid ? validation.answer.features : {};
}

function planLacks(feature: FeatureFlag, plan: string): FeatureOffReason {
  return { kind: 'plan', plan, availableOn: smallestPlanWith(feature) };
}
